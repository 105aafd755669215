import { type CredentialToken, parseCredentialToken } from '../../../core/credential-token.ts';

const SCHEME = 'Worker ';

/** The token of `Authorization: Worker <token>`; null unless the header is there exactly once and well-formed. */
export function parseBearer(headers: readonly string[] | undefined): CredentialToken | null {
  const [header, ...others] = headers ?? [];
  if (header === undefined || others.length > 0 || !header.startsWith(SCHEME)) return null;
  try {
    return parseCredentialToken(header.slice(SCHEME.length));
  } catch {
    return null;
  }
}
