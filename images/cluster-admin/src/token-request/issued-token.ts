import { TokenRequestUnavailableError } from './token-request-error.ts';

export const TOKEN_REQUEST_SECONDS = 600;
export const MIN_TOKEN_LIFETIME_SECONDS = 30;
const MAX_TOKEN_BYTES = 16 * 1024;

export interface IssuedToken {
  readonly token: string;
  /** exp minus iat, as the API server signed it. */
  readonly lifetimeSeconds: number;
}

export interface TokenExpectation {
  readonly namespace: string;
  readonly serviceAccountName: string;
  readonly nowMs: number;
}

/**
 * Checks a TokenRequest's answer before the token is used once. The signature is
 * the API server's business; here it is checked that the token is for the
 * intended account and lives no longer than asked for (RFC 7515, RFC 7519).
 */
export function verifyIssuedToken(answer: unknown, expectation: TokenExpectation): IssuedToken {
  const { token, expirationTimestamp } = readStatus(answer);
  const claims = readClaims(token);
  const subject = `system:serviceaccount:${expectation.namespace}:${expectation.serviceAccountName}`;
  if (claims['sub'] !== subject) {
    throw new TokenRequestUnavailableError('token_subject_mismatch', `token claim sub: expected ${subject}, got another subject`);
  }
  const exp = readSeconds(claims, 'exp');
  const lifetimeSeconds = exp - readSeconds(claims, 'iat');
  const remainingSeconds = exp - expectation.nowMs / 1000;
  if (lifetimeSeconds < MIN_TOKEN_LIFETIME_SECONDS || lifetimeSeconds > TOKEN_REQUEST_SECONDS || remainingSeconds < MIN_TOKEN_LIFETIME_SECONDS) {
    throw new TokenRequestUnavailableError(
      'token_lifetime_unacceptable',
      `token claims iat and exp: expected a life of ${MIN_TOKEN_LIFETIME_SECONDS} to ${TOKEN_REQUEST_SECONDS} s with at least ` +
        `${MIN_TOKEN_LIFETIME_SECONDS} s left, got ${lifetimeSeconds} s with ${Math.floor(remainingSeconds)} s left`,
    );
  }
  if (Date.parse(expirationTimestamp) !== exp * 1000) {
    throw new TokenRequestUnavailableError(
      'token_expiration_mismatch',
      `token claim exp: expected status.expirationTimestamp ${expirationTimestamp}, got ${new Date(exp * 1000).toISOString()}`,
    );
  }
  return { token, lifetimeSeconds };
}

function readStatus(answer: unknown): { token: string; expirationTimestamp: string } {
  const status = (answer as { status?: { token?: unknown; expirationTimestamp?: unknown } } | null)?.status;
  const token = status?.token;
  const expirationTimestamp = status?.expirationTimestamp;
  if (typeof token !== 'string' || token.length === 0 || Buffer.byteLength(token) > MAX_TOKEN_BYTES) {
    throw malformed(`status.token: expected 1 to ${MAX_TOKEN_BYTES} bytes`);
  }
  if (typeof expirationTimestamp !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(expirationTimestamp)) {
    throw malformed('status.expirationTimestamp: expected an RFC 3339 time in whole seconds, UTC');
  }
  return { token, expirationTimestamp };
}

function readClaims(token: string): Record<string, unknown> {
  const segments = token.split('.');
  const [header, payload, signature] = segments;
  if (segments.length !== 3 || ![header, payload, signature].every((segment) => isCanonicalBase64Url(segment))) {
    throw malformed('token: expected three non-empty segments of canonical base64url');
  }
  const algorithm = decodeObject(header!, 'header')['alg'];
  if (typeof algorithm !== 'string' || algorithm === '' || algorithm.toLowerCase() === 'none') {
    throw malformed('token header alg: expected a signature algorithm');
  }
  return decodeObject(payload!, 'payload');
}

function isCanonicalBase64Url(segment: string | undefined): boolean {
  return segment !== undefined && segment !== '' && Buffer.from(segment, 'base64url').toString('base64url') === segment;
}

function decodeObject(segment: string, part: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(segment, 'base64url').toString('utf8'));
  } catch {
    throw malformed(`token ${part}: expected JSON`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformed(`token ${part}: expected a JSON object`);
  return value as Record<string, unknown>;
}

function readSeconds(claims: Record<string, unknown>, claim: 'exp' | 'iat'): number {
  const value = claims[claim];
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value <= 0) {
    throw malformed(`token claim ${claim}: expected whole seconds since 1970`);
  }
  return value;
}

function malformed(detail: string): TokenRequestUnavailableError {
  return new TokenRequestUnavailableError('token_malformed', detail);
}
