const MAX_TOKEN_BYTES = 256;

/** The bytes of a Secret's data value, or null when they cannot be a token. The caller zeroes them. */
export function decodeToken(base64: string): Buffer | null {
  if (base64.length === 0 || base64.length > Math.ceil(MAX_TOKEN_BYTES / 3) * 4) return null;
  const token = Buffer.from(base64, 'base64');
  if (token.byteLength >= 1 && token.byteLength <= MAX_TOKEN_BYTES) return token;
  token.fill(0);
  return null;
}
