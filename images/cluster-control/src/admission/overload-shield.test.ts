import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MutableClock } from '../../testing/mutable-clock.ts';
import { OverloadShield } from './overload-shield.ts';

const limits = { failuresPerPeer: 3, failuresOverall: 5, windowMs: 60_000 };

function shieldWithClock(): { shield: OverloadShield; clock: MutableClock } {
  const clock = new MutableClock();
  return { shield: new OverloadShield(limits, clock.now), clock };
}

function fail(shield: OverloadShield, peer: string, times: number): void {
  for (let count = 0; count < times; count += 1) assert.equal(shield.charge(peer).admitted, true);
}

describe('the overload shield', () => {
  it('refuses a peer after its failures and says when to come back', () => {
    const { shield, clock } = shieldWithClock();
    fail(shield, 'a', 3);
    clock.advance(20_500);
    assert.deepEqual(shield.charge('a'), { admitted: false, retryAfterSeconds: 40, firstInWindow: true });
    assert.equal(shield.charge('b').admitted, true);
  });

  it('refuses everyone after the failures of all peers together', () => {
    const { shield } = shieldWithClock();
    fail(shield, 'a', 3);
    fail(shield, 'b', 2);
    assert.equal(shield.charge('c').admitted, false);
  });

  it('counts concurrent requests before any of them has failed', () => {
    const { shield } = shieldWithClock();
    const verdicts = Array.from({ length: 4 }, () => shield.charge('a').admitted);
    assert.deepEqual(verdicts, [true, true, true, false]);
  });

  it('never refuses a peer whose requests are all admitted', () => {
    const { shield } = shieldWithClock();
    for (let count = 0; count < 100; count += 1) {
      const verdict = shield.charge('a');
      assert.ok(verdict.admitted);
      verdict.refund();
      verdict.refund();
    }
  });

  it('gives a charge back once only', () => {
    const { shield } = shieldWithClock();
    fail(shield, 'a', 2);
    const verdict = shield.charge('a');
    assert.ok(verdict.admitted);
    verdict.refund();
    verdict.refund();
    assert.equal(shield.charge('a').admitted, true);
    assert.equal(shield.charge('a').admitted, false);
  });

  it('forgets at the end of the window, and takes no refund of an earlier one', () => {
    const { shield, clock } = shieldWithClock();
    const early = shield.charge('a');
    assert.ok(early.admitted);
    clock.advance(60_000);
    fail(shield, 'a', 3);
    early.refund();
    assert.equal(shield.charge('a').admitted, false);
  });

  it('asks for a log line once per refused peer and window', () => {
    const { shield } = shieldWithClock();
    fail(shield, 'a', 3);
    const lines = [shield.charge('a'), shield.charge('a'), shield.charge('a')].filter((verdict) => !verdict.admitted && verdict.firstInWindow);
    assert.equal(lines.length, 1);
  });
});
