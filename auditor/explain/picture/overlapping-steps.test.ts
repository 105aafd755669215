import assert from 'node:assert/strict';
import { it } from 'node:test';
import { BUNDLE_LAYOUT } from '../../../evidence/bundle-layout.ts';
import { readTar } from '../../bundle/read-tar.ts';
import { parseObservations } from '../../../evidence/read-observations.ts';
import { explainSource } from '../explain.ts';
import { renderPicture } from '../files.ts';
import { recordedTar } from '../testing/recorded.ts';
import { LETTER } from './layout.ts';

const TEXT = /<text class="(?:step|tick)" x="([\d.]+)" y="([\d.]+)">([^<]+)<\/text>/g;

/** The recorded run, had each of these steps begun before its predecessor ended, as steps that wait for nothing of one another do. */
function drawnWith(overlapping: readonly string[]): string {
  const log = Buffer.from(readTar(recordedTar()).files.get(BUNDLE_LAYOUT.observations.path) ?? []).toString();
  const { observations } = parseObservations(log);
  const moved = observations.map((each, index) => {
    if (each.kind !== 'run.step' || each.body.state !== 'started' || !overlapping.includes(each.body.step)) return each;
    const before = observations.slice(0, index).findLast(({ kind, body }) => kind === 'run.step' && (body as { state: string }).state === 'started');
    return { ...each, at: new Date(Date.parse(before?.at ?? each.at) + 100).toISOString() };
  });
  return renderPicture(explainSource({ kind: 'bundle', report: null, fixture: null, claims: {}, observations: moved, isWhole: true, findings: [], failure: null, error: null }, 3));
}

it('prints no label of a step over that of another, also when one begins before the other ends', () => {
  const drawn = drawnWith(['objects', 'ingress', 'scale-to-zero']);
  const labels = [...drawn.matchAll(TEXT)].map(([, x, y, text = '']) => ({ from: Number(x), to: Number(x) + text.length * LETTER * 0.8, y: Number(y), text }));
  for (const title of ['images', 'objects', 'probes', 'to zero', 'actor identity b', 'Control']) assert.ok(labels.some(({ text }) => text === title), `${title} of ${labels.map(({ text }) => text).join()}`);
  const covered = labels.flatMap((left, index) => labels.slice(index + 1).filter((right) => Math.abs(left.y - right.y) < 9 && left.from < right.to && right.from < left.to).map((right) => `${left.text} and ${right.text}`));
  assert.deepEqual(covered, []);
  // the ground of a step below another hides nothing of that one's label
  const grounds = [...drawn.matchAll(/<rect class="alt" x="([\d.]+)" y="([\d.]+)" width="([\d.]+)"/g)].map(([, x, y, width]) => ({ from: Number(x), to: Number(x) + Number(width), y: Number(y) }));
  const hidden = labels.filter(({ from, y }) => grounds.some((ground) => ground.y > y - 9 && ground.y < y + 2 && ground.from < from + 20 && ground.to > from + 4));
  assert.deepEqual(hidden.map(({ text }) => text), []);
});
