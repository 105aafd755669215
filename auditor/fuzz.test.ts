import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fuzz } from './testing/fuzz/fuzz.ts';

const INPUTS = 3000;

test('whatever is handed in gets a coded answer, soon, and nothing is written', () => {
  const { failures, targets } = fuzz({ seed: 20_260_215, inputs: INPUTS });
  assert.deepEqual(failures, []);
  assert.equal(Object.values(targets).reduce((sum, { inputs }) => sum + inputs, 0), INPUTS);
});
