import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import test from 'node:test';
import fc from 'fast-check';
import { v7 } from 'uuid';
import { DomainError } from './errors.ts';
import {
  assertCredentialId,
  isActionRef,
  isClusterIdentity,
  isCredentialId,
  isDeploymentGeneration,
  isDigest,
  isReasonCode,
  isRequestId,
  isSessionId,
  isSubjectId,
  isUuidV4,
  isWorkerId,
} from './identifiers.ts';

const ALNUM = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'];

/** The grammars of the domain in the document's words: what a name begins with, what may follow, how long it may be. */
const NAMES = [
  { kind: 'credential id', is: isCredentialId, others: '._:-', longest: 64 },
  { kind: 'worker id', is: isWorkerId, others: '._:-', longest: 128 },
  { kind: 'deployment generation', is: isDeploymentGeneration, others: '._:-', longest: 128 },
  { kind: 'subject id', is: isSubjectId, others: '._:-', longest: 128 },
  { kind: 'request id', is: isRequestId, others: '._:-', longest: 128 },
  { kind: 'action ref', is: isActionRef, others: '._:/-', longest: 255 },
  { kind: 'cluster identity', is: isClusterIdentity, others: '._:/-', longest: 128 },
];

for (const { kind, is, others, longest } of NAMES) {
  const first = fc.constantFrom(...ALNUM);
  const rest = (maxLength: number): fc.Arbitrary<string> =>
    fc.string({ unit: fc.constantFrom(...ALNUM, ...others), maxLength, size: 'max' });

  test(`${kind}: every name of the alphabet up to ${longest} characters is one`, () => {
    fc.assert(fc.property(first, rest(longest - 1), (head, tail) => is(head + tail)));
    assert.equal(is('a'.repeat(longest)), true);
    assert.equal(is('a'.repeat(longest + 1)), false);
    assert.equal(is(''), false);
  });

  test(`${kind}: one foreign character anywhere makes it none`, () => {
    const foreign = fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }).filter((unit) => !ALNUM.includes(unit) && !others.includes(unit));
    fc.assert(
      fc.property(first, rest(8), foreign, rest(8), (head, before, wrong, after) => !is(head + before + wrong + after)),
    );
    for (const punctuation of others) assert.equal(is(`${punctuation}a`), false, punctuation);
    for (const wrong of ['a\n', 'a b', 'ä', 'a\0', 'a/b'.replace('/', others.includes('/') ? ' ' : '/')]) assert.equal(is(wrong), false);
  });
}

test('no grammar accepts what is not a string', () => {
  const guards = [...NAMES.map(({ is }) => is), isUuidV4, isSessionId, isDigest, isReasonCode];
  fc.assert(
    fc.property(fc.anything(), fc.constantFrom(...guards), (value, is) => typeof value === 'string' || !is(value)),
  );
});

test('UUIDs are lower-case, of the right version and of the RFC 9562 variant', () => {
  const [four, seven] = [randomUUID(), v7()];
  assert.deepEqual([isUuidV4(four), isSessionId(four), isUuidV4(seven), isSessionId(seven)], [true, false, false, true]);
  fc.assert(fc.property(fc.uuid({ version: 4 }), fc.uuid({ version: 7 }), (left, right) => isUuidV4(left) && isSessionId(right)));
  fc.assert(fc.property(fc.uuid({ version: [1, 2, 3, 5, 6, 8] }), (other) => !isUuidV4(other) && !isSessionId(other)));
  for (const wrong of [four.toUpperCase().replace(/[0-9]{8}/u, 'AAAAAAAA'), `{${four}}`, `${four}\n`, four.replaceAll('-', ''), `${four.slice(0, 19)}c${four.slice(20)}`]) {
    assert.equal(isUuidV4(wrong), false, wrong);
  }
});

test('a digest is 64 lower-case hex characters', () => {
  const hex = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 64, maxLength: 64 });
  fc.assert(fc.property(hex, (digest) => isDigest(digest) && !isDigest(digest.slice(1)) && !isDigest(`${digest}0`)));
  assert.equal(isDigest('A'.repeat(64)), false);
  assert.equal(isDigest(`${'a'.repeat(64)}\n`), false);
});

test('a refusal says what was expected and never repeats the value', () => {
  assert.throws(
    () => assertCredentialId('secret value!', 'the credential id'),
    (error) =>
      error instanceof DomainError &&
      error.code === 'QL3_IDENTIFIER_INVALID' &&
      error.message.includes('a string of 13 characters') &&
      !error.message.includes('secret value'),
  );
});
