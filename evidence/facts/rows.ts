import { canonicalJson } from '../canonical-json.ts';
import type { ObservationOf } from '../observation.ts';
import { groupBy } from './group-by.ts';
import { fact, type ObservedRun } from './observed-run.ts';

type Scalar = string | number | boolean | null;
/** One row as it was last read, with the observation that it comes from. */
export interface Row {
  readonly seq: number;
  readonly columns: Readonly<Record<string, Scalar>>;
}

type Reading = ObservationOf<'database.rows'>;
type Columns = Row['columns'];

/** The primary keys of the contract's tables. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  projects: ['project_id'],
  project_role_bindings: ['project_id', 'subject_type', 'subject_id', 'version'],
  worker_credential_management_plans: ['action_ref'],
  approval_requests: ['request_id'],
  approved_action_dispatches: ['dispatch_id'],
  approved_action_executions: ['dispatch_id'],
  worker_credentials: ['credential_id'],
  worker_credential_mutations: ['mutation_id'],
  worker_credential_deliveries: ['delivery_id', 'version'],
  worker_credential_stage_discards: ['delivery_id', 'token_digest', 'version'],
  worker_sessions: ['worker_id'],
  worker_session_history: ['worker_id', 'version'],
  security_audit_events: ['event_id'],
};
/** States that a row does not leave. */
const CLOSED: ReadonlySet<unknown> = new Set(['consumed', 'succeeded', 'failed', 'blocked', 'revoked', 'published']);

/** Of tables whose readings can be of one database. Where they contradict each other, nothing says which of them is right, and none counts. */
const latestReadings = fact((run: ObservedRun) => new Map([...groupBy(run.of('database.rows'), ({ body }) => body.table)].flatMap(([table, readings]) => (agree(table, readings) ? [[table, readings.at(-1) as Reading] as const] : []))));

/** A key stands in a reading once, and what it stands for is there in each later one: no row goes, and one without a higher version is the same. */
function agree(table: string, readings: readonly Reading[]): boolean {
  const key = KEYS[table];
  if (key === undefined) return true;
  let before = new Map<string, Columns>();
  for (const { body } of readings) {
    const rows = new Map(body.rows.map((row) => [JSON.stringify(key.map((column) => row[column])), row]));
    if (rows.size !== body.rows.length || [...before].some(([id, earlier]) => !isLaterStateOf(earlier, rows.get(id)))) return false;
    before = rows;
  }
  return true;
}

function isLaterStateOf(earlier: Columns, later: Columns | undefined): boolean {
  if (later === undefined) return false;
  const hasMovedOn = Number(later['version']) > Number(earlier['version']) && !CLOSED.has(earlier['state']);
  return hasMovedOn || canonicalJson(later) === canonicalJson(earlier);
}

/** The rows of a table at its last reading; the ledgers are append-only, so it holds all that ever was. */
export function rowsOf(run: ObservedRun, table: string): readonly Row[] {
  const reading = latestReadings(run).get(table);
  return (reading?.body.rows ?? []).map((columns) => ({ seq: (reading as Reading).seq, columns }));
}

export function textIn(row: Row | null | undefined, column: string): string | null {
  const value = row?.columns[column];
  return typeof value === 'string' ? value : null;
}

/** `bigint` columns come as text from PostgreSQL's driver; both forms are read. NaN when there is none. */
export function numberIn(row: Row | null | undefined, column: string): number {
  const value = row?.columns[column];
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^-?\d{1,16}$/.test(value) ? Number(value) : NaN;
}

export function byVersion(rows: readonly Row[]): readonly Row[] {
  return rows.toSorted((left, right) => numberIn(left, 'version') - numberIn(right, 'version'));
}

export function rowsWhere(rows: readonly Row[], column: string, value: Scalar): readonly Row[] {
  return rows.filter((row) => row.columns[column] === value);
}
