import { CONTRACT_NAMES } from '../contract-names.ts';
import type { ObservedRun } from './observed-run.ts';
import { fact } from './observed-run.ts';
import { rowsOf, rowsWhere, textIn, type Row } from './rows.ts';

export type SessionOperation = 'register' | 'heartbeat' | 'transition';
const ADMITTED = new Set(['allowed', 'succeeded']);

/** Audit rows about requests of the contract's Worker that Cluster Control admitted. */
const workerAudits = fact((run: ObservedRun): readonly Row[] =>
  rowsWhere(rowsWhere(rowsOf(run, 'security_audit_events'), 'subject_type', 'worker'), 'subject_id', CONTRACT_NAMES.workerId).filter((row) => ADMITTED.has(textIn(row, 'outcome') ?? '')),
);

export function sessionAudits(run: ObservedRun, operation: SessionOperation): readonly Row[] {
  return workerAudits(run).filter((row) => (textIn(row, 'action') ?? '').split('.').at(-1) === operation);
}
