import { createHash } from 'node:crypto';

/** SHA-256 in lower-case hex over the parts as they are; separators belong to the parts. */
export function sha256Hex(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}
