import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { verdictOf, type Outcome } from './tell-tree-lie.ts';

const CAUGHT: Outcome = { finished: true, missing: [], details: ['gate a: not observed that b'], ending: '', exitCode: 1 };

describe('a lie of another tree is caught', () => {
  it('by the names and for the reason that it expects', () => {
    assert.equal(verdictOf({ says: /observed that b/ }, CAUGHT), null);
    assert.equal(verdictOf({}, CAUGHT), null);
    assert.match(verdictOf({}, { ...CAUGHT, missing: ['gates.a'], exitCode: 0 }) ?? '', /not caught by gates\.a; the run wrote a report/);
  });
  it('not when another rule of the gate saw something else', () => assert.match(verdictOf({ says: /observed that c/ }, CAUGHT) ?? '', /another reason: no finding says observed that c/));
  it('where the run could not go on, when it says why', () => {
    const early = { ...CAUGHT, finished: false, ending: 'QL3_X: no token' };
    assert.equal(verdictOf({ refusedWith: /no token/, says: /observed that c/ }, early), null);
    assert.match(verdictOf({ refusedWith: /no Pod/ }, early) ?? '', /ended otherwise/);
    assert.match(verdictOf({ says: /observed that b/ }, early) ?? '', /before its last observation/);
  });
});
