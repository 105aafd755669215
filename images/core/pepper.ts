import { DomainError, describeValue } from './errors.ts';

export const PEPPER_BYTES = 32;

/** 32 bytes as unpadded base64url: the last of 43 characters carries four bits, so its two lowest must be zero. */
export const CANONICAL_32_BYTES: RegExp = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/u;

/** Parses the text of a pepper file. The text holds nothing else, not even a newline at its end. */
export function parsePepper(text: string): Buffer {
  if (!CANONICAL_32_BYTES.test(text)) {
    throw new DomainError('QL3_PEPPER_INVALID', 'the pepper', [
      {
        path: '',
        expected: '32 bytes as 43 characters of canonical base64url, without padding or newline',
        got: describeValue(text),
      },
    ]);
  }
  return Buffer.from(text, 'base64url');
}
