import type { Transaction } from '../transaction.ts';
import { HEARTBEAT_RESULT_SCHEMA, type HeartbeatRequest, type HeartbeatResponse } from '../../core/session-wire.ts';
import type { SessionCaller } from './worker-session-caller.ts';
import { observeDelivery } from './worker-session-delivery-observation.ts';
import { WorkerSessionError } from './worker-session-error.ts';
import { assertCurrentSession } from './worker-session-fence.ts';
import { appendHistory, lockSession, saveSession } from './worker-session-store.ts';

/** Renews the lease from the database's time, and takes the credential's delivery as observed. */
export async function heartbeatSession(transaction: Transaction, caller: SessionCaller, request: HeartbeatRequest): Promise<HeartbeatResponse> {
  const { row, nowMs } = await lockSession(transaction, caller.workerId);
  assertCurrentSession(row, { ...request, sessionId: caller.sessionId }, nowMs);
  if (request.availableSlots > row.maxConcurrentRuns) throw new WorkerSessionError('WORKER_SESSION_INVALID', 'available_slots_above_maximum');
  const beaten = {
    ...row,
    version: row.version + 1,
    availableSlots: row.status === 'draining' ? 0 : request.availableSlots,
    leaseDurationMs: request.leaseDurationMs,
    leaseExpiresAtMs: nowMs + request.leaseDurationMs,
    lastHeartbeatAtMs: nowMs,
  };
  await appendHistory(transaction, beaten, { caller, reason: 'heartbeat', replacedSessionId: null, recordedAtMs: nowMs });
  await saveSession(transaction, beaten);
  await observeDelivery(transaction, caller, { sessionVersion: beaten.version, nowMs });
  const { workerId, sessionId, generation, version, status, leaseExpiresAtMs } = beaten;
  return { schema: HEARTBEAT_RESULT_SCHEMA, workerId, sessionId, generation, version, status, leaseExpiresAtMs };
}
