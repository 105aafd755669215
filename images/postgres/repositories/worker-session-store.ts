import { lockInTransaction, type Transaction } from '../transaction.ts';
import { DATABASE_NOW_MS } from '../clock.ts';
import type { SessionCaller } from './worker-session-caller.ts';
import { integer, readSessionRow, type SessionRow } from './worker-session-row.ts';

export type HistoryReason = 'registered' | 'heartbeat' | 'draining' | 'offline';

/** A Worker's current session, locked for this transaction, and the database's time after the lock was had. */
export interface LockedSession {
  readonly row: SessionRow | null;
  readonly nowMs: number;
}

/**
 * Locks the Worker, then its row, then asks the clock, in this order: a time taken before waiting for a lock would
 * let an expired lease look alive. The time never runs behind what the row already records.
 */
export async function lockSession(transaction: Transaction, workerId: string): Promise<LockedSession> {
  await lockInTransaction(transaction, 'worker', workerId);
  const found = await transaction.query('SELECT * FROM ql3.worker_sessions WHERE worker_id = $1 FOR UPDATE', [workerId]);
  const clock = await transaction.query(`SELECT ${DATABASE_NOW_MS} AS now_ms`);
  const row = found.rows[0] === undefined ? null : readSessionRow(found.rows[0]);
  const nowMs = Math.max(integer(clock.rows[0] ?? {}, 'now_ms'), row?.registeredAtMs ?? 0, row?.lastHeartbeatAtMs ?? 0, row?.drainingAtMs ?? 0, row?.offlineAtMs ?? 0);
  return { row, nowMs };
}

/** Makes the row the Worker's current session; the table's trigger decides whether it may follow the one before. */
export async function saveSession(transaction: Transaction, row: SessionRow): Promise<void> {
  await transaction.query(
    `INSERT INTO ql3.worker_sessions (worker_id, session_id, generation, version, status, capabilities_json, capabilities_hash,
       max_concurrent_runs, available_slots, lease_duration_ms, lease_expires_at_ms, registered_at_ms, last_heartbeat_at_ms,
       draining_at_ms, offline_at_ms)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
     ON CONFLICT (worker_id) DO UPDATE SET session_id = excluded.session_id, generation = excluded.generation,
       version = excluded.version, status = excluded.status, capabilities_json = excluded.capabilities_json,
       capabilities_hash = excluded.capabilities_hash, max_concurrent_runs = excluded.max_concurrent_runs,
       available_slots = excluded.available_slots, lease_duration_ms = excluded.lease_duration_ms,
       lease_expires_at_ms = excluded.lease_expires_at_ms, registered_at_ms = excluded.registered_at_ms,
       last_heartbeat_at_ms = excluded.last_heartbeat_at_ms, draining_at_ms = excluded.draining_at_ms,
       offline_at_ms = excluded.offline_at_ms`,
    [
      row.workerId, row.sessionId, row.generation, row.version, row.status, row.capabilitiesJson, row.capabilitiesHash,
      row.maxConcurrentRuns, row.availableSlots, row.leaseDurationMs, row.leaseExpiresAtMs, row.registeredAtMs, row.lastHeartbeatAtMs,
      row.drainingAtMs, row.offlineAtMs,
    ],
  );
}

/** Appends what the row became, why, and which client certificate asked for it. */
export async function appendHistory(
  transaction: Transaction,
  row: SessionRow,
  change: { readonly caller: SessionCaller; readonly reason: HistoryReason; readonly replacedSessionId: string | null; readonly recordedAtMs: number },
): Promise<void> {
  const { caller, reason, replacedSessionId, recordedAtMs } = change;
  await transaction.query(
    `INSERT INTO ql3.worker_session_history (worker_id, version, session_id, generation, status, reason, replaced_session_id,
       available_slots, lease_expires_at_ms, credential_id, client_certificate_sha256, client_certificate_serial, recorded_at_ms)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
    [
      row.workerId, row.version, row.sessionId, row.generation, row.status, reason, replacedSessionId,
      row.availableSlots, row.leaseExpiresAtMs, caller.credentialId, caller.clientCertificateFingerprint, caller.clientCertificateSerial,
      recordedAtMs,
    ],
  );
}
