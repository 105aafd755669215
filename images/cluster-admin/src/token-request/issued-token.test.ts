import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { verifyIssuedToken } from './issued-token.ts';

const NOW_MS = 1_800_000_000_000;
const EXP = NOW_MS / 1000 + 600;
const EXPECTATION = { namespace: 'stage', serviceAccountName: 'admin', nowMs: NOW_MS };

interface Parts {
  readonly header: object;
  readonly claims: Record<string, unknown>;
  readonly expirationTimestamp: string;
}

const VALID: Parts = {
  header: { alg: 'RS256', kid: 'k' },
  claims: { sub: 'system:serviceaccount:stage:admin', iat: EXP - 600, exp: EXP },
  expirationTimestamp: new Date(EXP * 1000).toISOString().replace('.000Z', 'Z'),
};

function tokenOf({ header, claims }: Parts): string {
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${encode(header)}.${encode(claims)}.${Buffer.from('signature!').toString('base64url')}`;
}

function answerOf(parts: Parts, token: unknown = tokenOf(parts)): unknown {
  return { status: { token, expirationTimestamp: parts.expirationTimestamp } };
}

describe('issued token', () => {
  test('a token as Kubernetes makes it is accepted with its lifetime', () => {
    assert.deepEqual(verifyIssuedToken(answerOf(VALID), EXPECTATION), { token: tokenOf(VALID), lifetimeSeconds: 600 });
  });

  const token = tokenOf(VALID);
  const faults: Record<string, { answer: unknown; reason: string }> = {
    'no answer': { answer: null, reason: 'token_malformed' },
    'no token': { answer: answerOf(VALID, 7), reason: 'token_malformed' },
    'two segments': { answer: answerOf(VALID, token.split('.').slice(0, 2).join('.')), reason: 'token_malformed' },
    'padded base64': { answer: answerOf(VALID, `${token}=`), reason: 'token_malformed' },
    'non-canonical base64': { answer: answerOf(VALID, token.replace(/Q$/, 'R')), reason: 'token_malformed' },
    'empty signature': { answer: answerOf(VALID, token.replace(/[^.]+$/, '')), reason: 'token_malformed' },
    'more than 16 KiB': { answer: answerOf({ ...VALID, claims: { ...VALID.claims, pad: 'x'.repeat(16_384) } }), reason: 'token_malformed' },
    'alg none': { answer: answerOf({ ...VALID, header: { alg: 'None' } }), reason: 'token_malformed' },
    'no alg': { answer: answerOf({ ...VALID, header: {} }), reason: 'token_malformed' },
    'another account': { answer: answerOf({ ...VALID, claims: { ...VALID.claims, sub: 'system:serviceaccount:stage:root' } }), reason: 'token_subject_mismatch' },
    'no iat': { answer: answerOf({ ...VALID, claims: { sub: VALID.claims['sub'], exp: EXP } }), reason: 'token_malformed' },
    'a life of an hour': { answer: answerOf({ ...VALID, claims: { ...VALID.claims, iat: EXP - 3600 } }), reason: 'token_lifetime_unacceptable' },
    'a life of 29 s': { answer: answerOf({ ...VALID, claims: { ...VALID.claims, iat: EXP - 29 } }), reason: 'token_lifetime_unacceptable' },
    'another expiration in the status': { answer: answerOf({ ...VALID, expirationTimestamp: '2030-01-01T00:00:00Z' }), reason: 'token_expiration_mismatch' },
    'an expiration that is no time': { answer: answerOf({ ...VALID, expirationTimestamp: 'soon' }), reason: 'token_malformed' },
  };
  for (const [name, { answer, reason }] of Object.entries(faults)) {
    test(`${name} is refused, and never quoted`, () => {
      assert.throws(
        () => verifyIssuedToken(answer, EXPECTATION),
        (error: Error & { reason: string }) => {
          assert.equal(error.reason, reason);
          assert.ok(!error.message.includes(token.split('.')[1]!));
          return true;
        },
      );
    });
  }

  test('with less than 30 s left it is refused', () => {
    assert.throws(() => verifyIssuedToken(answerOf(VALID), { ...EXPECTATION, nowMs: (EXP - 29) * 1000 }), { reason: 'token_lifetime_unacceptable' });
  });
});
