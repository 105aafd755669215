import type { Transaction } from '../transaction.ts';
import {
  REGISTER_RESULT_SCHEMA,
  type RegisterRequest,
  type RegisterResponse,
  type ReplacedSession,
} from '../../core/session-wire.ts';
import type { SessionCaller } from './worker-session-caller.ts';
import { fenced } from './worker-session-error.ts';
import { assertAlive } from './worker-session-fence.ts';
import { belongsToAnotherWorker, findReplacedBy, wasEverRegistered } from './worker-session-history.ts';
import type { SessionRow } from './worker-session-row.ts';
import { appendHistory, lockSession, saveSession } from './worker-session-store.ts';

/**
 * Opens a session, or answers a repeated registration of the current one without changing it: the answer to the first
 * may have been lost, and a late duplicate must not fence the session that goes on meanwhile.
 */
export async function registerSession(transaction: Transaction, caller: SessionCaller, request: RegisterRequest): Promise<RegisterResponse> {
  const { row, nowMs } = await lockSession(transaction, caller.workerId);
  if (row?.sessionId === caller.sessionId) {
    assertSameRegistration(row, request);
    assertAlive(row, nowMs);
    return toResponse(row, await findReplacedBy(transaction, caller.workerId, row.sessionId));
  }
  if (row !== null && (await wasEverRegistered(transaction, caller.workerId, caller.sessionId))) throw fenced('session_was_replaced_before');
  if (await belongsToAnotherWorker(transaction, caller.workerId, caller.sessionId)) throw fenced('session_of_another_worker');
  const opened = openedSession(row, caller, request, nowMs);
  await appendHistory(transaction, opened, { caller, reason: 'registered', replacedSessionId: row?.sessionId ?? null, recordedAtMs: nowMs });
  await saveSession(transaction, opened);
  return toResponse(opened, row);
}

function assertSameRegistration(row: SessionRow, request: RegisterRequest): void {
  const same =
    row.capabilitiesHash === request.capabilitiesHash &&
    row.capabilitiesJson === request.capabilitiesJson &&
    row.maxConcurrentRuns === request.maxConcurrentRuns;
  if (!same) throw fenced('session_capabilities_changed');
}

function openedSession(previous: SessionRow | null, caller: SessionCaller, request: RegisterRequest, nowMs: number): SessionRow {
  return {
    workerId: caller.workerId,
    sessionId: caller.sessionId,
    generation: previous === null ? 1 : previous.generation + 1,
    version: previous === null ? 0 : previous.version + 1,
    status: 'online',
    capabilitiesJson: request.capabilitiesJson,
    capabilitiesHash: request.capabilitiesHash,
    maxConcurrentRuns: request.maxConcurrentRuns,
    availableSlots: request.availableSlots,
    leaseDurationMs: request.leaseDurationMs,
    leaseExpiresAtMs: nowMs + request.leaseDurationMs,
    registeredAtMs: nowMs,
    lastHeartbeatAtMs: null,
    drainingAtMs: null,
    offlineAtMs: null,
  };
}

function toResponse(row: SessionRow, replaced: ReplacedSession | null): RegisterResponse {
  const { workerId, sessionId, generation, version, status, leaseExpiresAtMs } = row;
  const replacedSession = replaced && {
    sessionId: replaced.sessionId,
    generation: replaced.generation,
    version: replaced.version,
    status: replaced.status,
  };
  return { schema: REGISTER_RESULT_SCHEMA, workerId, sessionId, generation, version, status, leaseExpiresAtMs, replacedSession };
}
