import { DomainError, describeValue, type DomainErrorCode } from './errors.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes and parses JSON of a bounded size; what cannot be read at all is a fault of the whole value. */
export function parseJsonText(
  code: DomainErrorCode,
  subject: string,
  text: string | Uint8Array,
  maximumBytes: number,
): unknown {
  const sizeBytes = typeof text === 'string' ? Buffer.byteLength(text, 'utf8') : text.byteLength;
  if (sizeBytes > maximumBytes) {
    throw new DomainError(code, subject, [
      { path: '', expected: `at most ${maximumBytes} bytes of JSON`, got: `${sizeBytes} bytes` },
    ]);
  }
  try {
    return JSON.parse(typeof text === 'string' ? text : utf8.decode(text));
  } catch {
    // The parser's own message quotes the input, and the input may hold a secret.
    throw new DomainError(code, subject, [{ path: '', expected: 'JSON in UTF-8', got: describeValue(text) }]);
  }
}
