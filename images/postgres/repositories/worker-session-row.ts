import type { SessionState, SessionStatus } from '../../core/session-wire.ts';

/** The current session of a Worker. */
export interface SessionRow extends SessionState {
  readonly capabilitiesJson: string;
  readonly capabilitiesHash: string;
  readonly maxConcurrentRuns: number;
  readonly availableSlots: number;
  readonly leaseDurationMs: number;
  readonly registeredAtMs: number;
  readonly lastHeartbeatAtMs: number | null;
  readonly drainingAtMs: number | null;
  readonly offlineAtMs: number | null;
}

type DatabaseRow = Readonly<Record<string, unknown>>;

export function readSessionRow(row: DatabaseRow): SessionRow {
  return {
    workerId: text(row, 'worker_id'),
    sessionId: text(row, 'session_id'),
    generation: integer(row, 'generation'),
    version: integer(row, 'version'),
    status: status(row),
    capabilitiesJson: text(row, 'capabilities_json'),
    capabilitiesHash: text(row, 'capabilities_hash'),
    maxConcurrentRuns: integer(row, 'max_concurrent_runs'),
    availableSlots: integer(row, 'available_slots'),
    leaseDurationMs: integer(row, 'lease_duration_ms'),
    leaseExpiresAtMs: integer(row, 'lease_expires_at_ms'),
    registeredAtMs: integer(row, 'registered_at_ms'),
    lastHeartbeatAtMs: integerOrNull(row, 'last_heartbeat_at_ms'),
    drainingAtMs: integerOrNull(row, 'draining_at_ms'),
    offlineAtMs: integerOrNull(row, 'offline_at_ms'),
  };
}

export function text(row: DatabaseRow, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw new TypeError(`column ${column}: expected text, got ${typeof value}`);
  return value;
}

export function integer(row: DatabaseRow, column: string): number {
  const value = row[column];
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw new TypeError(`column ${column}: expected a safe integer`);
  return value;
}

function integerOrNull(row: DatabaseRow, column: string): number | null {
  return row[column] === null ? null : integer(row, column);
}

function status(row: DatabaseRow): SessionStatus {
  const value = row['status'];
  if (value === 'online' || value === 'draining' || value === 'offline') return value;
  throw new TypeError('column status: expected online, draining or offline');
}
