import { createHmac, randomBytes } from 'node:crypto';
import { sha256Hex } from './digest.ts';
import { DomainError, describeValue } from './errors.ts';
import { assertCredentialId, isCredentialId } from './identifiers.ts';
import { CANONICAL_32_BYTES, PEPPER_BYTES, parsePepper } from './pepper.ts';

export { parsePepper };

const PREFIX = 'ql3w_';
const SECRET_CHARACTERS = 43;
const SHORTEST_CHARACTERS = PREFIX.length + 1 + 1 + SECRET_CHARACTERS;
const SECRET_DOMAIN = 'qinglong-worker-credential-v1\0';
const TOKEN_DOMAIN = 'qinglong/worker-credential-delivery-token@v1\0';
const MAXIMUM_TOKEN_BYTES = 256;

export interface CredentialToken {
  readonly credentialId: string;
  /** The 43 characters after the last separator; a view of the given bytes, so zeroing those zeroes it. */
  readonly secret: Buffer;
}

/** A fresh token. The caller owns the buffer and fills it with zeros in `finally`. */
export function createCredentialToken(credentialId: string): Buffer {
  assertCredentialId(credentialId, 'the credential id');
  const random = randomBytes(32);
  const token = Buffer.alloc(PREFIX.length + credentialId.length + 1 + SECRET_CHARACTERS);
  try {
    const at = token.write(`${PREFIX}${credentialId}_`, 'ascii');
    writeBase64Url(random, token, at);
    return token;
  } finally {
    random.fill(0);
  }
}

/** Splits a token. Credential ids may hold underscores, therefore the secret is counted from the end. */
export function parseCredentialToken(token: Buffer | string): CredentialToken {
  const bytes = typeof token === 'string' ? Buffer.from(token, 'utf8') : token;
  const separator = bytes.length - SECRET_CHARACTERS - 1;
  const credentialId = bytes.toString('latin1', PREFIX.length, Math.max(separator, PREFIX.length));
  const acceptable =
    bytes.length >= SHORTEST_CHARACTERS &&
    bytes.length <= MAXIMUM_TOKEN_BYTES &&
    bytes.toString('latin1', 0, PREFIX.length) === PREFIX &&
    bytes[separator] === 0x5f &&
    isCredentialId(credentialId) &&
    isCanonicalSecret(bytes.subarray(separator + 1));
  if (!acceptable) {
    throw new DomainError('QL3_CREDENTIAL_TOKEN_INVALID', 'the credential token', [
      {
        path: '',
        expected: `${PREFIX}, a credential id, an underscore and ${SECRET_CHARACTERS} characters of canonical base64url`,
        got: describeValue(token),
      },
    ]);
  }
  return { credentialId, secret: bytes.subarray(separator + 1) };
}

/** What PostgreSQL keeps instead of the secret: HMAC-SHA256 under the pepper, bound to the credential id. */
export function secretDigest(pepper: Buffer, credentialId: string, secret: Uint8Array | string): string {
  if (pepper.length !== PEPPER_BYTES) {
    throw new DomainError('QL3_PEPPER_INVALID', 'the pepper', [
      { path: '', expected: `${PEPPER_BYTES} bytes`, got: describeValue(pepper) },
    ]);
  }
  assertCredentialId(credentialId, 'the credential id');
  return createHmac('sha256', pepper).update(`${SECRET_DOMAIN}${credentialId}\0`).update(secret).digest('hex');
}

/** Binds a stage Secret, the annotations and the ledger to the token without revealing it. */
export function tokenDigest(token: Uint8Array): string {
  if (token.byteLength < 1 || token.byteLength > MAXIMUM_TOKEN_BYTES) {
    throw new DomainError('QL3_CREDENTIAL_TOKEN_INVALID', 'the credential token', [
      { path: '', expected: `1 to ${MAXIMUM_TOKEN_BYTES} bytes`, got: describeValue(token) },
    ]);
  }
  return sha256Hex(TOKEN_DOMAIN, token);
}

const ALPHABET = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_', 'ascii');

// Encoded by hand into the caller's buffer: a string made on the way could never be zeroed.
function writeBase64Url(source: Buffer, target: Buffer, offset: number): void {
  let at = offset;
  let held = 0;
  let bits = 0;
  for (const byte of source) {
    held = (held << 8) | byte;
    bits += 8;
    while (bits >= 6) {
      bits -= 6;
      target[at++] = ALPHABET[(held >> bits) & 63]!;
    }
    held &= (1 << bits) - 1;
  }
  if (bits > 0) target[at] = ALPHABET[(held << (6 - bits)) & 63]!;
}

function isCanonicalSecret(secret: Buffer): boolean {
  return CANONICAL_32_BYTES.test(secret.toString('latin1'));
}
