import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { timeScale } from './time-scale.ts';

const instants = fc.array(fc.integer({ min: 0, max: 300_000 }), { minLength: 2, maxLength: 80 });

describe('the scale of time', () => {
  it('never runs backwards, and stays where it is given room', () => {
    fc.assert(fc.property(instants, (all) => {
      const x = timeScale(all, 100, 1100);
      const places = all.toSorted((left, right) => left - right).map(x);
      assert.ok(places.every((place, index) => place >= 100 - 1e-6 && place <= 1100 + 1e-6 && (index === 0 || place >= (places[index - 1] as number) - 1e-6)));
    }));
  });
  it('gives room to what milliseconds decide beside a wait of minutes', () => {
    const waits = Array.from({ length: 60 }, (_, index) => (index + 1) * 60_000);
    const x = timeScale([0, 1, 2, ...waits], 0, 1000);
    assert.ok(x(1) - x(0) >= 6.9 && x(2) - x(1) >= 6.9 && x(120_000) - x(60_000) > x(2) - x(1), [0, 1, 2, 60_000, 120_000].map(x).join());
  });
  it('makes a stretch as wide as its title needs', () => {
    const needs = [{ fromMs: 0, toMs: 10, room: 90 }];
    const [without, within] = [timeScale([0, 10, 60_000], 0, 1000), timeScale([0, 10, 60_000], 0, 1000, needs)];
    assert.ok(without(10) < 90 && within(10) >= 90, `${without(10)} ${within(10)}`);
    assert.ok(Math.abs(within(60_000) - 1000) < 1);
  });
});
