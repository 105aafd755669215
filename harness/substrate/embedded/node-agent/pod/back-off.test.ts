import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NODE_TIMING } from '../node-timing.ts';
import { BackOff } from './back-off.ts';

describe('restart back-off', () => {
  it('starts at once, then waits 10 s, doubling up to five minutes', () => {
    const backOff = new BackOff(NODE_TIMING.restartBackOff);
    const delays = Array.from({ length: 8 }, () => backOff.nextDelayMs(100) / 1000);
    assert.deepEqual(delays, [0, 10, 20, 40, 80, 160, 300, 300]);
  });

  it('forgets after ten minutes of running', () => {
    const backOff = new BackOff(NODE_TIMING.restartBackOff);
    for (let restart = 0; restart < 4; restart += 1) backOff.nextDelayMs(100);
    assert.equal(backOff.nextDelayMs(600_000), 0);
  });
});
