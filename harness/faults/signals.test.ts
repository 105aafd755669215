import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CommandProcess } from '../cli/testing/command-process.ts';
import { assertEvidence, REHEARSE, watchForLeavings } from './testing/expectations.ts';

/** Whatever ends a rehearsal from outside, at whatever step: it dies by that, and nothing of it stays. */
interface Ending {
  readonly when: string;
  readonly signals: readonly { readonly signal: NodeJS.Signals; /** What the run says before the next one is sent. */ readonly next?: string }[];
  /** By which of them it dies. */
  readonly diesBy: NodeJS.Signals;
  /** Whether it has had the time to keep what it saw. */
  readonly keepsEvidence?: boolean;
}

const ENDINGS: readonly Ending[] = [
  { when: 'cluster, database and images come up', signals: [{ signal: 'SIGINT' }], diesBy: 'SIGINT' },
  { when: 'cluster, database and images come up', signals: [{ signal: 'SIGKILL' }], diesBy: 'SIGKILL' },
  { when: 'what the run stands on', signals: [{ signal: 'SIGTERM', next: 'cleaning up' }, { signal: 'SIGINT' }], diesBy: 'SIGTERM' },
  { when: 'generation 1 is issued', signals: [{ signal: 'SIGKILL' }], diesBy: 'SIGKILL' },
  { when: 'generation 3 is rotated', signals: [{ signal: 'SIGINT' }], diesBy: 'SIGINT', keepsEvidence: true },
  { when: 'the production Worker opens session 1', signals: [{ signal: 'SIGINT', next: 'keeping the evidence' }, { signal: 'SIGINT' }], diesBy: 'SIGINT' },
  { when: 'the production Worker opens session 1', signals: [{ signal: 'SIGKILL' }], diesBy: 'SIGKILL' },
  { when: 'must be refused', signals: [{ signal: 'SIGINT' }], diesBy: 'SIGINT', keepsEvidence: true },
];

describe('a rehearsal that is ended', { concurrency: 2, skip: process.platform !== 'linux' && 'reads /proc' }, () => {
  for (const { when, signals, diesBy, keepsEvidence = false } of ENDINGS) {
    test(`by ${signals.map(({ signal }) => signal).join(' and then ')} when "${when}" dies by ${diesBy} and leaves nothing behind`, async () => {
      await using run = new CommandProcess(REHEARSE);
      await run.said(when);
      const assertNothingLeft = watchForLeavings(run);
      for (const { signal, next } of signals) {
        run.child.kill(signal);
        if (next !== undefined) await run.said(next);
      }
      assert.deepEqual(await run.ended, { code: null, signal: diesBy }, run.stderr);
      assert.equal(run.stdout, '');
      if (keepsEvidence) assertEvidence(run);
      await assertNothingLeft();
    });
  }
});
