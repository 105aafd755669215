import type { Pool } from 'pg';
import type { StepId } from '../../evidence/observation.ts';
import type { Recorder } from '../observation/recorder.ts';

/** What may be written down of each table, and in which order its rows stand. Digests of secrets stay where they are. */
const WITNESSED_TABLES: readonly { readonly table: string; readonly order: string; readonly withheld: readonly string[] }[] = [
  { table: 'projects', order: 'project_id', withheld: [] },
  { table: 'project_role_bindings', order: 'project_id, subject_type, subject_id, version', withheld: [] },
  { table: 'worker_credential_management_plans', order: 'planned_at_ms, action_ref', withheld: [] },
  { table: 'approval_requests', order: 'requested_at_ms, request_id', withheld: [] },
  { table: 'approved_action_dispatches', order: 'dispatched_at_ms, dispatch_id', withheld: [] },
  { table: 'approved_action_executions', order: 'created_at_ms, dispatch_id', withheld: [] },
  { table: 'worker_credentials', order: 'issued_at_ms, credential_id', withheld: ['secret_digest'] },
  { table: 'worker_credential_mutations', order: 'mutated_at_ms, mutation_id', withheld: [] },
  { table: 'worker_credential_deliveries', order: 'credential_committed_at_ms, delivery_id, version', withheld: ['secret_digest'] },
  { table: 'worker_credential_stage_discards', order: 'delivery_id, token_digest, version', withheld: [] },
  { table: 'worker_sessions', order: 'worker_id', withheld: [] },
  { table: 'worker_session_history', order: 'worker_id, version', withheld: [] },
  { table: 'security_audit_events', order: 'occurred_at_ms, event_id', withheld: [] },
];

/** One statement: a snapshot of all tables, without a way to the server and back for each. */
const SNAPSHOT = `SELECT ${WITNESSED_TABLES.map(({ table, order, withheld }) => `${rowsOf(table, order, withheld)} AS ${table}`).join(', ')}`;

function rowsOf(table: string, order: string, withheld: readonly string[]): string {
  const secret = withheld.map((column) => `'${column}'`).join(', ');
  return `(SELECT coalesce(jsonb_agg(to_jsonb(t) - ARRAY[${secret}]::text[] ORDER BY ${order}), '[]') FROM ql3.${table} t)`;
}

/** Reads every table of the contract in one snapshot and records it, less what is secret. */
export async function recordTables(pool: Pool, recorder: Recorder, moment: StepId): Promise<void> {
  const { rows: [snapshot] } = await pool.query<Record<string, readonly Record<string, unknown>[]>>(SNAPSHOT);
  for (const { table } of WITNESSED_TABLES) {
    const rows = snapshot?.[table];
    if (rows === undefined) throw new TypeError(`expected the rows of ql3.${table}`);
    recorder.record('database.rows', `ql3.${table}`, { table, moment, rows: rows.map(toScalars) });
  }
}

type Scalar = string | number | boolean | null;

/** A JSON column is written as its text: a row has scalars only. */
function toScalars(row: Record<string, unknown>): Record<string, Scalar> {
  return Object.fromEntries(Object.entries(row).map(([column, value]) => [column, typeof value === 'object' && value !== null ? JSON.stringify(value) : (value as Scalar)]));
}
