import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exitCodeOf, HarnessError } from './errors.ts';

const coded = (code: string, cause?: unknown): Error => Object.assign(new Error(code, { cause }), { code });

const TABLE: readonly [string, unknown, number][] = [
  ['a wait that ran out', new HarnessError('QL3_WAIT_TIMEOUT', 'x'), 1],
  ['a refused path', new HarnessError('QL3_PATH_REFUSED', 'x'), 2],
  ['a full disk', coded('ENOSPC'), 3],
  ['a full disk below a wrapped error', new Error('could not write', { cause: coded('ENOSPC') }), 3],
  ['an embedded cluster that does not start', coded('QL3_EMBEDDED_SUPERVISOR_START_FAILED'), 3],
  ['a refusal by the product', coded('QL3_MANAGEMENT_SELF_APPROVAL'), 1],
  ['a database that went away', coded('57P01'), 1],
  ['a database that was lost, as its client tells it', new Error('Connection terminated unexpectedly'), 1],
  ['a database that does not answer, as its client tells it', new Error('timeout expired'), 1],
  ['a connection that was refused', coded('ECONNREFUSED'), 1],
  ['a mistake in this program', new TypeError('x is not a function'), 4],
  ['something that is no error', 'text', 4],
];

for (const [name, error, expected] of TABLE) {
  test(`${name}: exit code ${expected}`, () => assert.equal(exitCodeOf(error), expected));
}
