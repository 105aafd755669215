import type { Transaction } from '../transaction.ts';
import { TRANSITION_RESULT_SCHEMA, type TransitionRequest, type TransitionResponse } from '../../core/session-wire.ts';
import type { SessionCaller } from './worker-session-caller.ts';
import { observeDelivery } from './worker-session-delivery-observation.ts';
import { fenced } from './worker-session-error.ts';
import { assertCurrentSession } from './worker-session-fence.ts';
import type { SessionRow } from './worker-session-row.ts';
import { appendHistory, lockSession, saveSession } from './worker-session-store.ts';

/** Takes a session out of service: draining accepts no more work, offline ends the lease and the session. */
export async function transitionSession(transaction: Transaction, caller: SessionCaller, request: TransitionRequest): Promise<TransitionResponse> {
  const { row, nowMs } = await lockSession(transaction, caller.workerId);
  assertCurrentSession(row, { ...request, sessionId: caller.sessionId }, nowMs);
  if (row.status === 'draining' && request.status === 'draining') throw fenced('session_already_draining');
  const moved = request.status === 'draining' ? draining(row, nowMs) : offline(row, nowMs);
  await appendHistory(transaction, moved, { caller, reason: request.status, replacedSessionId: null, recordedAtMs: nowMs });
  await saveSession(transaction, moved);
  await observeDelivery(transaction, caller, { sessionVersion: moved.version, nowMs });
  const { workerId, sessionId, generation, version, status, leaseExpiresAtMs } = moved;
  return { schema: TRANSITION_RESULT_SCHEMA, workerId, sessionId, generation, version, status, leaseExpiresAtMs };
}

function draining(row: SessionRow, nowMs: number): SessionRow {
  return { ...row, version: row.version + 1, status: 'draining', availableSlots: 0, drainingAtMs: nowMs };
}

function offline(row: SessionRow, nowMs: number): SessionRow {
  return { ...row, version: row.version + 1, status: 'offline', availableSlots: 0, leaseExpiresAtMs: nowMs, offlineAtMs: nowMs };
}
