import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { KnownSecrets } from './known-secrets.ts';

test('a secret is found in every usual encoding, also in the middle of something longer', () => {
  const secret = randomBytes(32);
  const secrets = new KnownSecrets();
  secrets.add('pepper', secret);
  const inside = (offset: number): Buffer => Buffer.concat([randomBytes(offset), secret, randomBytes(5)]);
  const texts = [
    secret.toString('base64'),
    secret.toString('base64url'),
    secret.toString('hex'),
    encodeURIComponent(secret.toString('base64')),
    ...[0, 1, 2, 3, 4].flatMap((offset) => [inside(offset).toString('base64'), inside(offset).toString('base64url')]),
  ];
  for (const text of texts) assert.deepEqual(secrets.heldBy(Buffer.from(`before ${text} after`)), ['pepper'], text);
  assert.deepEqual(secrets.heldBy(Buffer.from(randomBytes(32).toString('base64'))), []);
});

test('a password is found as it is and URL-encoded', () => {
  const secrets = new KnownSecrets();
  secrets.add('password', Buffer.from('p@ss/word+of the run'));
  assert.deepEqual(secrets.heldBy(Buffer.from('postgresql://user:p%40ss%2Fword%2Bof%20the%20run@host')), ['password']);
  assert.deepEqual(secrets.heldBy(Buffer.from('{"password":"p@ss/word+of the run"}')), ['password']);
});
