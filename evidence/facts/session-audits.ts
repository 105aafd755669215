import { CONTRACT_NAMES } from '../contract-names.ts';
import { ingressRequests } from './ingress.ts';
import { fact, type ObservedRun } from './observed-run.ts';
import type { ProductSession } from './product-sessions.ts';
import { rowsOf, rowsWhere, textIn, type Row } from './rows.ts';

export type SessionOperation = 'register' | 'heartbeat' | 'transition';
const OPERATIONS: Readonly<Record<string, SessionOperation>> = { registered: 'register', reregistered: 'register', heartbeat: 'heartbeat', draining: 'transition', offline: 'transition' };
const ADMITTED = new Set(['allowed', 'succeeded']);

/** What was asked for when a session came into this state, by the reason that the database gives. */
export function operationOf(state: Row): SessionOperation | null {
  return OPERATIONS[textIn(state, 'reason') ?? ''] ?? null;
}

/** Audit rows about requests of Workers that Cluster Control admitted. */
export const admittedAudits = fact((run: ObservedRun): readonly Row[] => rowsWhere(rowsOf(run, 'security_audit_events'), 'subject_type', 'worker').filter((row) => ADMITTED.has(textIn(row, 'outcome') ?? '')));
const workerAudits = fact((run: ObservedRun): readonly Row[] => rowsWhere(admittedAudits(run), 'subject_id', CONTRACT_NAMES.workerId));

export function sessionAudits(run: ObservedRun, operation: SessionOperation): readonly Row[] {
  return workerAudits(run).filter((row) => (textIn(row, 'action') ?? '').split('.').at(-1) === operation);
}

/** Each state of the session comes from a request that is on record as admitted, and each of these was answered, whatever the answer, as the ingress logged. */
export function isAudited(run: ObservedRun, { sessionId, history }: ProductSession): boolean {
  return (['register', 'heartbeat', 'transition'] as const).every((operation) => {
    const admitted = rowsWhere(sessionAudits(run, operation), 'resource_id', sessionId).length;
    const answered = ingressRequests(run).filter((request) => request.sessionId === sessionId && request.operation === operation).length;
    return history.filter((row) => operationOf(row) === operation).length <= admitted && admitted <= answered;
  });
}
