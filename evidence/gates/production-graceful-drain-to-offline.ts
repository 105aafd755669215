import { currentSessionRule } from '../facts/current-session.ts';
import { drainedInOrder, drainElapsedMs } from '../facts/drain.ts';
import { deletionRequestOf } from '../facts/audit.ts';
import type { ObservedRun } from '../facts/observed-run.ts';
import { witnessedExitOf } from '../facts/pods.ts';
import { eventLine } from '../facts/process-lines.ts';
import { productSessions, stoppedAsTold } from '../facts/product-sessions.ts';
import { numberIn } from '../facts/rows.ts';
import { judged, rule } from '../verdict.ts';

const LONGEST_DRAIN_MS = 30_000;

/** Each session went draining, then offline, after its Pod's deletion was asked for; the Worker said `stopped` and ended with exit code 0. */
export const productionGracefulDrainToOffline = judged((run: ObservedRun) => {
  const sessions = productSessions(run);
  return [
    rule('three sessions', sessions.length === 3, sessions.map(({ registeredLine }) => registeredLine)),
    currentSessionRule(run),
    ...sessions.flatMap((session, index) => {
      const { pod, draining, offline } = session;
      const [asked, stopped, exit, deletion] = [eventLine(run, pod.uid, 'shutdown_requested'), eventLine(run, pod.uid, 'stopped'), witnessedExitOf(run, pod), deletionRequestOf(run, pod)];
      const elapsedMs = drainElapsedMs(run, session);
      const number = index + 1;
      return [
        rule(`session ${number} was draining, then offline`, numberIn(draining, 'version') < numberIn(offline, 'version'), [draining, offline]),
        rule(`the Worker of session ${number} printed stopped`, stopped !== null, [stopped]),
        rule(`it was told to, and stopped in session ${number}, offline, after no longer a drain than the time in between`, stoppedAsTold(run, session), [asked, stopped]),
        rule('its Pod was asked to go, then it was told, draining, offline, and said so', drainedInOrder(run, session), [deletion, asked, draining, offline, stopped]),
        rule(`the Worker of session ${number} ended with exit code 0`, exit?.exitCode === 0, [exit]),
        rule(`session ${number} was offline at most ${LONGEST_DRAIN_MS} ms after its Pod's deletion was asked for`, elapsedMs !== null && elapsedMs >= 0 && elapsedMs <= LONGEST_DRAIN_MS, [deletion, offline]),
      ];
    }),
  ];
});
