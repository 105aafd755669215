import { fenced } from './worker-session-error.ts';
import type { SessionRow } from './worker-session-row.ts';

export interface SessionClaim {
  readonly sessionId: string;
  readonly generation: number;
  readonly expectedVersion: number;
}

/** Throws unless the claim is about the current session exactly as it stands, and that session is alive. */
export function assertCurrentSession(row: SessionRow | null, claim: SessionClaim, nowMs: number): asserts row is SessionRow {
  if (row === null) throw fenced('session_missing');
  if (row.sessionId !== claim.sessionId) throw fenced('session_replaced');
  if (row.generation !== claim.generation) throw fenced('session_generation_mismatch');
  if (row.version !== claim.expectedVersion) throw fenced('session_version_mismatch');
  assertAlive(row, nowMs);
}

/** A lease ends at its very millisecond. */
export function assertAlive(row: SessionRow, nowMs: number): void {
  if (row.status === 'offline') throw fenced('session_offline');
  if (row.leaseExpiresAtMs <= nowMs) throw fenced('session_lease_expired');
}
