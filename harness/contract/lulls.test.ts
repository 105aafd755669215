import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as settled } from 'node:timers/promises';
import { Lulls } from './lulls.ts';

describe('what is done while the contract waits', () => {
  it('begins with its lull and with no other', async () => {
    const lulls = new Lulls(new AbortController().signal);
    const done: string[] = [];
    const work = lulls.until('identity-b', 'ended').then(() => done.push('ingress'));
    lulls.begin('identity-b', 'ordered');
    await settled();
    assert.deepEqual(done, []);
    lulls.begin('identity-b', 'ended');
    await work;
    assert.deepEqual(done, ['ingress']);
  });

  it('begins at once when its lull is there already', async () => {
    const lulls = new Lulls(new AbortController().signal);
    lulls.begin('session-1', 'registered');
    assert.equal(await lulls.until('session-1', 'registered'), undefined);
  });

  it('ends for the reason for which the run does, where it still waits', async () => {
    const run = new AbortController();
    const lulls = new Lulls(run.signal);
    const waiting = lulls.until('generation-4', 'registered');
    const reason = new Error('the run has ended');
    run.abort(reason);
    await assert.rejects(waiting, (error) => error === reason);
  });
});
