import type { Transaction } from '../transaction.ts';
import { EXECUTION_LEASE_MS, EXECUTION_RESULT_CODE, type ExecutionState } from '../../core/execution.ts';
import { DATABASE_NOW_MS } from '../clock.ts';

export interface Execution {
  readonly dispatchId: string;
  readonly version: number;
  readonly state: ExecutionState;
  readonly leaseToken: string | null;
  readonly leaseExpiresAtMs: number | null;
  readonly resultCode: string | null;
  readonly resultDigest: string | null;
  readonly reasonCode: string | null;
  /** The database's time at which the rest was true. */
  readonly databaseNowMs: number;
}

export async function findExecution(sql: Transaction, dispatchId: string): Promise<Execution | null> {
  const { rows } = await sql.query<ExecutionRow>(
    `SELECT version, state, lease_token, lease_expires_at_ms, result_code, result_digest, reason_code, ${DATABASE_NOW_MS} AS now_ms
     FROM ql3.approved_action_executions WHERE dispatch_id = $1`,
    [dispatchId],
  );
  const row = rows[0];
  if (row === undefined) return null;
  return {
    dispatchId,
    version: row.version,
    state: row.state,
    leaseToken: row.lease_token,
    leaseExpiresAtMs: row.lease_expires_at_ms,
    resultCode: row.result_code,
    resultDigest: row.result_digest,
    reasonCode: row.reason_code,
    databaseNowMs: row.now_ms,
  };
}

interface ExecutionRow {
  readonly version: number;
  readonly state: ExecutionState;
  readonly lease_token: string | null;
  readonly lease_expires_at_ms: number | null;
  readonly result_code: string | null;
  readonly result_digest: string | null;
  readonly reason_code: string | null;
  readonly now_ms: number;
}

/** pending, retry_wait or a lapsed lease becomes leased. False when the execution has moved on meanwhile. */
export function claimExecution(sql: Transaction, execution: Execution, leaseToken: string): Promise<boolean> {
  return advance(
    sql,
    execution,
    `state = 'leased', attempt = attempt + 1, lease_token = $3, claimed_at_ms = clock.now_ms, lease_expires_at_ms = clock.now_ms + $4,
     retry_at_ms = NULL, reason_code = NULL`,
    [leaseToken, EXECUTION_LEASE_MS],
  );
}

/** The start barrier: from here on authority may have been used. Also renews the lease of a resumed execution. */
export function startExecution(sql: Transaction, execution: Execution, leaseToken: string): Promise<boolean> {
  return advance(
    sql,
    execution,
    `state = 'executing', started_at_ms = coalesce(started_at_ms, clock.now_ms), lease_expires_at_ms = clock.now_ms + $4`,
    [leaseToken, EXECUTION_LEASE_MS],
    `AND lease_token = $3`,
  );
}

export function succeedExecution(sql: Transaction, execution: Execution, resultDigest: string): Promise<boolean> {
  return advance(
    sql,
    execution,
    `state = 'succeeded', lease_token = NULL, lease_expires_at_ms = NULL, completed_at_ms = clock.now_ms, result_code = $3, result_digest = $4`,
    [EXECUTION_RESULT_CODE, resultDigest],
    `AND state = 'executing'`,
  );
}

export function failExecution(sql: Transaction, execution: Execution, reasonCode: string): Promise<boolean> {
  return advance(
    sql,
    execution,
    `state = 'failed', lease_token = NULL, lease_expires_at_ms = NULL, completed_at_ms = clock.now_ms, reason_code = $3`,
    [reasonCode],
    `AND state = 'executing'`,
  );
}

/** True while this consumption holds the execution behind its start barrier: only then may a credential be committed. */
export async function isExecuting(sql: Transaction, dispatchId: string, leaseToken: string): Promise<boolean> {
  const { rowCount } = await sql.query(
    `SELECT FROM ql3.approved_action_executions WHERE dispatch_id = $1 AND lease_token = $2 AND state = 'executing'`,
    [dispatchId, leaseToken],
  );
  return rowCount === 1;
}

async function advance(
  sql: Transaction,
  { dispatchId, version }: Execution,
  assignments: string,
  values: readonly (string | number)[],
  condition = '',
): Promise<boolean> {
  const { rowCount } = await sql.query(
    `UPDATE ql3.approved_action_executions SET version = version + 1, ${assignments}
     FROM (SELECT ${DATABASE_NOW_MS} AS now_ms) AS clock
     WHERE dispatch_id = $1 AND version = $2 ${condition}`,
    [dispatchId, version, ...values],
  );
  return rowCount === 1;
}
