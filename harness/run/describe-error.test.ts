import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeError } from './describe-error.ts';
import { exitCodeOf } from './errors.ts';
import { writtenTo } from './written-to.ts';

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

test('a full disk is told once with its code, and with the path that was being written', async () => {
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', syscall: 'write' });
  assert.equal(describeError(full), 'ENOSPC: no space left on device, write');
  await assert.rejects(writtenTo('/out/report.json', () => Promise.reject(full)), (error) => {
    assert.equal(describeError(error), '/out/report.json could not be written: ENOSPC: no space left on device, write');
    assert.equal(exitCodeOf(error), 3);
    return true;
  });
  const other = new Error('of another kind');
  await assert.rejects(writtenTo('/out/report.json', () => Promise.reject(other)), (error) => error === other);
});

test('what is no error is told by its message or its JSON', () => {
  assert.equal(describeError({ message: 'odd' }), 'odd');
  assert.equal(describeError({ a: 1 }), '{"a":1}');
  assert.equal(describeError(new AggregateError([new Error('first'), new Error('second')])), 'first; second');
});
