import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { renderPicture } from '../files.ts';
import { README_PICTURE, recorded } from '../testing/recorded.ts';

const MOST_BYTES = 150_000;

it('the README shows the recorded rehearsal as it is drawn today (node auditor/explain/testing/recorded.ts draws it anew)', () => {
  const drawn = renderPicture(recorded());
  assert.equal(renderPicture(recorded()), drawn, 'the same evidence gives the same bytes');
  assert.ok(drawn === readFileSync(README_PICTURE, 'utf8'), 'docs/timeline.svg is another picture');
  assert.ok(Buffer.byteLength(drawn) < MOST_BYTES, `${Buffer.byteLength(drawn)} bytes`);
  assert.deepEqual(drawn.match(/(?:href|src|url\()[^ ]*/g), null, 'it loads nothing');
});
