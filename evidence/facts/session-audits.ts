import { CONTRACT_NAMES } from '../contract-names.ts';
import { ingressRequests } from './ingress.ts';
import { fact, type ObservedRun } from './observed-run.ts';
import type { ProductSession } from './product-sessions.ts';
import { rowsOf, rowsWhere, textIn, type Row } from './rows.ts';

export type SessionOperation = 'register' | 'heartbeat' | 'transition';
const REASONS: Readonly<Record<SessionOperation, readonly (string | null)[]>> = { register: ['registered', 'reregistered'], heartbeat: ['heartbeat'], transition: ['draining', 'offline'] };
const ADMITTED = new Set(['allowed', 'succeeded']);

/** Audit rows about requests of the contract's Worker that Cluster Control admitted. */
const workerAudits = fact((run: ObservedRun): readonly Row[] =>
  rowsWhere(rowsWhere(rowsOf(run, 'security_audit_events'), 'subject_type', 'worker'), 'subject_id', CONTRACT_NAMES.workerId).filter((row) => ADMITTED.has(textIn(row, 'outcome') ?? '')),
);

export function sessionAudits(run: ObservedRun, operation: SessionOperation): readonly Row[] {
  return workerAudits(run).filter((row) => (textIn(row, 'action') ?? '').split('.').at(-1) === operation);
}

/** Each state of the session comes from a request that is on record as admitted, and each of these was answered, whatever the answer, as the ingress logged. */
export function isAudited(run: ObservedRun, { sessionId, history }: ProductSession): boolean {
  return (Object.keys(REASONS) as SessionOperation[]).every((operation) => {
    const admitted = rowsWhere(sessionAudits(run, operation), 'resource_id', sessionId).length;
    const answered = ingressRequests(run).filter((request) => request.sessionId === sessionId && request.operation === operation).length;
    return history.filter((row) => REASONS[operation].includes(textIn(row, 'reason'))).length <= admitted && admitted <= answered;
  });
}
