import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { GATE_NAMES } from './gate-names.ts';
import { GATE_MEANINGS } from './gates/meanings.ts';
import { PROBE_IDS } from './observation.ts';
import { PROBE_MEANINGS } from './probes/meanings.ts';

/** Longer than this is read by nobody. */
const LONGEST_SENTENCE = 260;

describe('what gates and probes mean', () => {
  it('is true of a rehearsal on a real cluster, whose images are not the pinned ones', () => {
    assert.doesNotMatch(GATE_MEANINGS.passed.proves, /pinned/);
  });
  it('is said of each, in the order of the report', () => {
    assert.deepEqual(Object.keys(GATE_MEANINGS), [...GATE_NAMES]);
    assert.deepEqual(Object.keys(PROBE_MEANINGS), [...PROBE_IDS]);
  });
  it('owns up to the Pod that the rules of an order except', () => {
    assert.match(GATE_MEANINGS.recreateOrderingObserved.proves, /by force/);
  });
  for (const [name, meaning] of Object.entries({ ...GATE_MEANINGS, ...PROBE_MEANINGS })) {
    it(`is said of ${name} in two sentences and a title, none like another's`, () => {
      const { title, proves, doesNotProve } = meaning;
      for (const sentence of [proves, doesNotProve]) {
        assert.match(sentence, /^[A-Z].*\.$/);
        assert.ok(sentence.length <= LONGEST_SENTENCE, `${sentence.length} characters: ${sentence}`);
      }
      assert.ok(title.length <= 48 && !title.endsWith('.'), title);
      const twins = Object.values({ ...GATE_MEANINGS, ...PROBE_MEANINGS }).filter((other) => other.proves === proves || other.title === title);
      assert.equal(twins.length, 1);
    });
  }
});
