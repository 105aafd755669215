import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import test from 'node:test';
import fc from 'fast-check';
import { createCredentialToken, parseCredentialToken, parsePepper, secretDigest, tokenDigest } from './credential-token.ts';
import { DomainError, type DomainErrorCode } from './errors.ts';

const PEPPER_TEXT = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8';
const SECRET = `${'A'.repeat(42)}E`;

const first = fc.constantFrom(...'ABCXYZabcxyz0189');
const credentialId = fc
  .tuple(first, fc.string({ unit: fc.constantFrom(...'ABCxyz019._:-'), maxLength: 63, size: 'max' }))
  .map(([head, tail]) => head + tail);

const refusedAs = (code: DomainErrorCode) => (error: unknown) => error instanceof DomainError && error.code === code;

test('a token carries its credential id and 32 random bytes, and comes apart again', () => {
  fc.assert(
    fc.property(credentialId, (id) => {
      const token = createCredentialToken(id);
      const text = token.toString('ascii');
      assert.match(text, /^ql3w_.+_[A-Za-z0-9_-]{43}$/u);
      const parsed = parseCredentialToken(token);
      assert.equal(parsed.credentialId, id);
      assert.equal(text, `ql3w_${id}_${parsed.secret.toString('ascii')}`);
      const bytes = Buffer.from(parsed.secret.toString('ascii'), 'base64url');
      assert.equal(bytes.length, 32);
      assert.equal(bytes.toString('base64url'), parsed.secret.toString('ascii'));
    }),
  );
});

test('no two tokens are alike', () => {
  const tokens = Array.from({ length: 100 }, () => createCredentialToken('a').toString('ascii'));
  assert.equal(new Set(tokens).size, tokens.length);
});

test('zeroing a token zeroes the secret that was parsed out of it', () => {
  const token = createCredentialToken('live_generation_1');
  const { secret } = parseCredentialToken(token);
  token.fill(0);
  assert.ok(secret.every((byte) => byte === 0));
});

test('a text that is not exactly a token is refused without being quoted', () => {
  const token = `ql3w_a_${SECRET}`;
  assert.equal(parseCredentialToken(token).credentialId, 'a');
  const broken = [
    '', 'ql3w_', token.slice(1), `${token}\n`, ` ${token}`, token.slice(0, -1), `QL3W${token.slice(4)}`, `ql3w__${SECRET}`,
    `ql3w_.a_${SECRET}`, `ql3w_a-${SECRET}`, `ql3w_${'a'.repeat(65)}_${SECRET}`, `ql3w_a_${'A'.repeat(42)}F`,
    `ql3w_a_${'A'.repeat(41)}=E`, `ql3w_é_${SECRET}`, `ql3w_a\0_${SECRET}`,
  ]; // prettier-ignore
  for (const text of broken) {
    assert.throws(
      () => parseCredentialToken(text),
      (error) => refusedAs('QL3_CREDENTIAL_TOKEN_INVALID')(error) && !(error as Error).message.includes('AAAA'),
      text,
    );
  }
  fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => throws(() => parseCredentialToken(Buffer.from(bytes)))));
});

test('exactly one of four last characters is canonical', () => {
  const last = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'];
  const accepted = last.filter((character) => !throws(() => parsePepper('A'.repeat(42) + character)));
  assert.deepEqual(accepted, last.filter((_, index) => index % 4 === 0));
});

test('a pepper is 43 characters of canonical base64url and nothing else', () => {
  assert.deepEqual([...parsePepper(PEPPER_TEXT)], Array.from({ length: 32 }, (_, index) => index));
  for (const text of ['', `${PEPPER_TEXT}\n`, `${PEPPER_TEXT}=`, PEPPER_TEXT.slice(1), PEPPER_TEXT.replace('A', '+')]) {
    assert.throws(() => parsePepper(text), refusedAs('QL3_PEPPER_INVALID'));
  }
});

test('the secret digest is the documented HMAC', () => {
  const pepper = parsePepper(PEPPER_TEXT);
  const digest = secretDigest(pepper, 'live_generation_4', SECRET);
  assert.equal(digest, '1a76c4f0218a8d73aebbfd20187bdf9a00311e64bcd9b9d300868c4bb0888a78');
  assert.equal(secretDigest(pepper, 'live_generation_4', Buffer.from(SECRET)), digest);
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), credentialId, fc.string(), (key, id, secret) => {
      const expected = createHmac('sha256', key).update(`qinglong-worker-credential-v1\0${id}\0${secret}`).digest('hex');
      return secretDigest(Buffer.from(key), id, secret) === expected;
    }),
  );
});

test('a pepper of another size is refused before anything is computed with it', () => {
  assert.throws(() => secretDigest(Buffer.alloc(31), 'a', SECRET), refusedAs('QL3_PEPPER_INVALID'));
});

test('the token digest is the documented SHA-256 over 1 to 256 bytes', () => {
  const token = Buffer.from(`ql3w_live_generation_4_${SECRET}`);
  assert.equal(tokenDigest(token), '92b2422aaa729c63cc19e5ed77ca973bc7a9faea42228cb40e87f854ae69f770');
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 256, size: 'max' }), (bytes) => {
      const prefix = Buffer.from('qinglong/worker-credential-delivery-token@v1\0');
      return tokenDigest(bytes) === createHash('sha256').update(Buffer.concat([prefix, bytes])).digest('hex');
    }),
  );
  for (const size of [0, 257]) assert.throws(() => tokenDigest(Buffer.alloc(size)), refusedAs('QL3_CREDENTIAL_TOKEN_INVALID'));
});

function throws(action: () => unknown): boolean {
  try {
    action();
    return false;
  } catch (error) {
    assert.ok(error instanceof DomainError);
    return true;
  }
}
