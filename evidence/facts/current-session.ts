import { rule, type Rule } from '../verdict.ts';
import { groupBy } from './group-by.ts';
import type { ObservedRun } from './observed-run.ts';
import { byVersion, rowsOf, textIn, type Row } from './rows.ts';

const TOLD_IN_BOTH = ['session_id', 'generation', 'version', 'status', 'available_slots', 'lease_expires_at_ms'] as const;
/** Columns of a session as it is, and for which reason they were last written; a later session of the same Worker begins anew. */
const WRITTEN_FOR = { registered_at_ms: 'registered', last_heartbeat_at_ms: 'heartbeat', draining_at_ms: 'draining', offline_at_ms: 'offline' } as const;
/** What a session becomes for a reason; for others it stays what it was. */
const BECOMES: Readonly<Record<string, string>> = { registered: 'online', draining: 'draining', offline: 'offline' };

/** The database holds a Worker's session twice, as it is and as it became so: the contract's, and whichever else there is. */
export function currentSessionRule(run: ObservedRun): Rule {
  const [current, history] = ['worker_sessions', 'worker_session_history'].map((table) => rowsOf(run, table)) as [readonly Row[], readonly Row[]];
  const lives = groupBy(byVersion(history), (row) => textIn(row, 'worker_id'));
  const agree = current.length === lives.size && current.every((row) => endsAs(row, lives.get(textIn(row, 'worker_id')) ?? []));
  return rule("each Worker's session is what its history ends with, and became what the reasons there say", agree && [...lives.values()].every(becameSo) && current.length > 0, [...current, ...history]);
}

function endsAs({ columns }: Row, life: readonly Row[]): boolean {
  const last = life.at(-1);
  const session = life.filter((state) => state.columns['session_id'] === columns['session_id']);
  const writtenAt = (reason: string): unknown => session.findLast((state) => state.columns['reason'] === reason)?.columns['recorded_at_ms'] ?? null;
  return last !== undefined && TOLD_IN_BOTH.every((column) => columns[column] === last.columns[column]) && Object.entries(WRITTEN_FOR).every(([column, reason]) => columns[column] === writtenAt(reason));
}

function becameSo(life: readonly Row[]): boolean {
  return life.every(({ columns: { reason, status } }, index) => status === (BECOMES[String(reason)] ?? life[index - 1]?.columns['status']));
}
