import { parsePepper } from '../../../core/credential-token.ts';
import type { Problem } from '../control-error.ts';
import { readProtectedFile } from '../trust/protected-file.ts';

/** Reads the pepper; its text is zeroed at once, and no message ever quotes it. */
export async function readPepper(file: string): Promise<{ pepper: Buffer } | { problem: Problem }> {
  const reading = await readProtectedFile('QL3_CLUSTER_CONTROL_PEPPER_FILE', file, 'secret');
  if (reading.problem !== undefined) return { problem: reading.problem };
  try {
    return { pepper: parsePepper(reading.bytes.toString('latin1')) };
  } catch {
    return { problem: { subject: 'QL3_CLUSTER_CONTROL_PEPPER_FILE', problem: 'expected 43 characters of canonical base64url, without a newline' } };
  } finally {
    reading.bytes.fill(0);
  }
}
