import assert from 'node:assert/strict';
import { test } from 'node:test';
import { delayBeforeRetryMs, MAX_ATTEMPTS, type Attempted } from './patience.ts';

const failed = (code: string): Error => new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });
const TABLE: readonly [string, Partial<Attempted>, boolean][] = [
  ['a read without an answer', { method: 'GET', failure: failed('ECONNRESET') }, true],
  ['a write without an answer, which may have been carried out', { method: 'POST', failure: failed('ECONNRESET') }, false],
  ['a write that ran out of time, which may have been carried out', { method: 'PUT', failure: new DOMException('late', 'TimeoutError') }, false],
  ['a write that never got a connection', { method: 'POST', failure: failed('UND_ERR_CONNECT_TIMEOUT') }, true],
  ['a write that was refused a connection', { method: 'PATCH', failure: failed('ECONNREFUSED') }, true],
  ['a write for which the server asks to come again', { method: 'PUT', status: 429, retryAfter: '1' }, true],
  ['a write that failed on the server’s side', { method: 'PUT', status: 500 }, false],
  ['a read that failed on the server’s side', { method: 'GET', status: 500 }, true],
  ['what was refused', { method: 'GET', status: 403 }, false],
  ['the last attempt', { method: 'GET', failure: failed('ECONNREFUSED'), attempt: MAX_ATTEMPTS }, false],
];

for (const [what, attempted, isRepeated] of TABLE) {
  test(`${what} is ${isRepeated ? '' : 'not '}repeated`, () => {
    assert.equal(delayBeforeRetryMs({ method: 'GET', status: null, retryAfter: undefined, attempt: 1, ...attempted }) !== null, isRepeated);
  });
}
