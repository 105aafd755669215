import assert from 'node:assert/strict';
import { test } from 'node:test';
import { displayWidth, fit } from './display-width.ts';

test('a text takes the columns that a terminal gives it, and is cut to them', () => {
  for (const [text, width] of [['Pod worker-1', 12], ['青龙', 4], ['e\u0301', 1], ['✓ done', 6], ['🐉', 2], ['', 0]] as const) assert.equal(displayWidth(text), width, text);
  assert.equal(fit('generation 1', 12), 'generation 1');
  assert.equal(fit('generation 1', 6), 'gener…');
  assert.equal(fit('青龙青龙', 4), '青…');
  assert.equal(fit('anything', 0), '');
});
