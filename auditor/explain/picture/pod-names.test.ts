import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { recorded } from '../testing/recorded.ts';
import { layOut, LETTER, type Band, type Box } from './layout.ts';
import { plansOf } from './picture.ts';

const { timeline } = recorded();
assert.ok(timeline !== null);
const { bands } = layOut(timeline, plansOf(timeline), 62);
const boxes = (lane: string): readonly { readonly band: Band; readonly box: Box }[] => bands.flatMap((band) => band.lanes.filter(({ lane: { id } }) => id === lane).flatMap((placed) => placed.boxes.map((box) => ({ band, box }))));
const extent = ({ label }: Box): readonly [number, number] => (label === null ? [0, 0] : label.side === 'before' ? [label.x - label.text.length * LETTER, label.x] : [label.x, label.x + label.text.length * LETTER]);

describe('the names of Pods in the picture', () => {
  it('stand there of each Pod of the Worker, however short it lived', () => {
    const pods = boxes('workers').filter(({ box: { mark } }) => mark.key.startsWith('pod/'));
    assert.ok(pods.some(({ box }) => box.label?.side === 'after'), 'expected the recorded run to have one that is too short for its name');
    assert.deepEqual(pods.filter(({ box }) => box.label === null).map(({ box }) => box.mark.words), []);
  });

  it('are crossed by no line between waiting and running, and lie on no other Pod', () => {
    for (const lane of ['workers', 'other-pods']) {
      for (const { band, box } of boxes(lane).filter(({ box: { label } }) => label !== null)) {
        const [from, to] = extent(box);
        for (const part of box.mark.parts ?? []) {
          const line = band.x(part.toMs);
          assert.ok(box.label?.side !== 'in' || line <= from || line >= to || part.toMs >= band.toMs, `${box.label?.text} is crossed at ${line}`);
        }
        const covered = boxes(lane).filter((other) => other.band === band && other.box !== box && other.box.y === box.y && other.box.fromX < to && other.box.toX > from && box.label?.side !== 'in');
        assert.deepEqual(covered.map((other) => other.box.mark.words), []);
      }
    }
  });
});
