import { textAt, textsAt } from '../facts/fields.ts';
import type { ObservedRun } from '../facts/observed-run.ts';
import { podsByUid, witnessedExitOf } from '../facts/pods.ts';
import { probeResult } from '../facts/probe-results.ts';
import { eventLine, linesOf, printedAsWorker } from '../facts/process-lines.ts';
import { registeredAsRecorded, requestOf } from '../facts/product-sessions.ts';
import { rowsOf, rowsWhere, textIn, type Row } from '../facts/rows.ts';
import { instantMs } from '../instants.ts';
import { judged, rule } from '../verdict.ts';

/** Exit code of a container that SIGKILL ended. */
const KILLED = 137;

/** A production Worker was killed by force; its successor closed the abandoned session in its journal before it registered its own. */
export const abandonedSession = judged((run: ObservedRun) => {
  const result = probeResult(run, 'abandoned-session');
  const { workerId = null, killedPodUid, abandonedSessionId = null, successorPodUid, successorSessionId = null } = result?.facts ?? {};
  const killed = podsByUid(run).get(killedPodUid ?? '') ?? null;
  const exit = witnessedExitOf(run, killed);
  const history = rowsWhere(rowsOf(run, 'worker_session_history'), 'worker_id', workerId);
  const [abandoned, successor] = [rowsWhere(history, 'session_id', abandonedSessionId), rowsWhere(history, 'session_id', successorSessionId)];
  const [reconciled, registered] = [eventLine(run, successorPodUid, 'reconciled'), eventLine(run, successorPodUid, 'registered')];
  const isRegistration = (row: Row): boolean => textIn(row, 'reason') === 'registered';
  const begun = ([[killedPodUid, abandoned], [successorPodUid, successor]] as const).map(([podUid, states]) => ({ starting: eventLine(run, podUid, 'starting'), registeredLine: eventLine(run, podUid, 'registered'), online: states.find(isRegistration) ?? null }));
  const waits = linesOf(run, successorPodUid).filter(({ body }) => body.line['code'] === 'lock_waiting');
  const opened = [...abandoned, ...successor.filter(isRegistration)];
  return [
    rule('the probe was made once', result !== null, [result]),
    rule("what the two Pods printed is their own, of the probe's Worker, and of their time", [killed, podsByUid(run).get(successorPodUid ?? '')].every((pod) => printedAsWorker(run, pod, workerId)), [...linesOf(run, killedPodUid), ...linesOf(run, successorPodUid)]),
    rule('both said that they began, and that they registered what the database has', begun.every((each) => each.starting !== null && registeredAsRecorded(each)), begun.flatMap(({ starting, registeredLine, online }) => [starting, registeredLine, online])),
    // a successor that began again finds a lock of its own Pod
    rule('who waited for the volume waited for the killed Worker', waits.every(({ body }) => [killedPodUid, successorPodUid].includes(textAt(body.line, 'owner', 'podUid') ?? killedPodUid)), waits),
    rule('the ingress saw both register, and all that the killed one asked for', opened.every((row) => requestOf(run, row) !== null), opened),
    rule('the killed Worker did not end in order', killed !== null && killed.deleted !== null && (exit?.exitCode ?? KILLED) === KILLED && eventLine(run, killedPodUid, 'stopped') === null, [killed, killed?.deleted, exit]),
    rule('its Pod went and its successor registered within the attempt', [killed?.deleted?.at, registered?.body.line['at']].every((at) => result !== null && instantMs(at) >= result.window.fromMs && instantMs(at) <= result.window.toMs), [result, killed?.deleted, registered]),
    rule('its session never drained nor went offline', abandoned.length > 0 && abandoned.every((row) => textIn(row, 'status') === 'online'), [result, ...abandoned]),
    rule('its successor found the session abandoned, then registered', reconciled !== null && registered !== null && reconciled.body.index < registered.body.index && textsAt(reconciled.body.line, 'abandonedSessionIds').includes(abandonedSessionId ?? ''), [reconciled, registered]),
    rule("the successor's session replaced it", textAt(registered?.body.line, 'sessionId') === successorSessionId && textIn(successor[0], 'replaced_session_id') === abandonedSessionId, [registered, ...successor]),
  ];
});
