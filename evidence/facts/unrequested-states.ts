import { CLOCK_BOUND_MS } from '../clock-bound.ts';
import { instantMs } from '../instants.ts';
import { groupBy } from './group-by.ts';
import { ingressRequests } from './ingress.ts';
import { fact, type ObservedRun } from './observed-run.ts';
import { recordedAtMs, REQUEST_DEADLINE_MS, requestOf } from './product-sessions.ts';
import { rowsOf, type Row } from './rows.ts';
import { admittedAudits, operationOf } from './session-audits.ts';

/**
 * States of sessions, of whichever Worker, that come from nothing: the database has admitted no request for them, or the ingress has answered
 * none, neither as accepted nor as one that failed and may have been carried out. Of a session that it knows, what it had still to answer when it was last heard may be missing.
 */
export const unrequestedStates = fact((run: ObservedRun): readonly Row[] => {
  const lastHeardMs = run.of('ingress.line').reduce((last, { body }) => Math.max(last, instantMs(body.line['at']) || 0), 0);
  const asked = groupBy(ingressRequests(run), ({ workerId, sessionId, operation }) => `${workerId} ${sessionId} worker_session.${operation}`);
  const admitted = groupBy(admittedAudits(run), ({ columns }) => `${columns['subject_id']} ${columns['resource_id']} ${columns['action']}`);
  const states = groupBy(rowsOf(run, 'worker_session_history'), (row) => `${row.columns['worker_id']} ${row.columns['session_id']} worker_session.${operationOf(row)}`);
  return [...states].flatMap(([name, rows]) => {
    if (rows.length > (admitted.get(name)?.length ?? 0)) return rows;
    const registration = name.replace(/\w+$/, 'register');
    const goesOn = name !== registration && asked.has(registration);
    const unanswered = rows.filter((row) => requestOf(run, row) === null && !(goesOn && lastHeardMs <= recordedAtMs(row) + REQUEST_DEADLINE_MS + CLOCK_BOUND_MS));
    const failed = (asked.get(name) ?? []).filter(({ status }) => (status ?? 0) >= 500);
    return unanswered.length > failed.length ? unanswered : [];
  });
});
