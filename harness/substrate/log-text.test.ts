import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lastBytes } from './log-text.ts';

test('of a long log the end is kept, in whole lines', () => {
  assert.equal(Buffer.from(lastBytes('first\nsecond\nthird\n', 12)).toString(), 'third\n');
  assert.equal(Buffer.from(lastBytes('short\n', 12)).toString(), 'short\n');
});
