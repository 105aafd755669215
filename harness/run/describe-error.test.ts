import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeError } from './describe-error.ts';

test('each cause is told once, with its code', () => {
  const root = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:6443'), { code: 'ECONNREFUSED' });
  const middle = new Error('the API server could not be asked', { cause: root });
  assert.equal(describeError(Object.assign(new Error('expected a cluster', { cause: middle }), { code: 'QL3_ENVIRONMENT' })), 'QL3_ENVIRONMENT: expected a cluster\nbecause: the API server could not be asked\nbecause: ECONNREFUSED: connect ECONNREFUSED 127.0.0.1:6443');
});

test('a cause that says what was said already is not told again, and a circle of causes ends', () => {
  const cause = new Error('no space left on device');
  assert.equal(describeError(new Error('could not write /x: no space left on device', { cause: new Error('no space left on device', { cause }) })), 'could not write /x: no space left on device');
  const circle = new Error('one');
  circle.cause = new Error('two', { cause: circle });
  assert.equal(describeError(circle), 'one\nbecause: two');
});

test('what is no error is told by its message or its JSON', () => {
  assert.equal(describeError({ message: 'odd' }), 'odd');
  assert.equal(describeError({ a: 1 }), '{"a":1}');
  assert.equal(describeError(new AggregateError([new Error('first'), new Error('second')])), 'first; second');
});
