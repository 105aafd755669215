import { rule, type Rule } from '../verdict.ts';
import { groupBy } from './group-by.ts';
import type { ObservedRun } from './observed-run.ts';
import { byVersion, rowsOf, textIn } from './rows.ts';

const TOLD_IN_BOTH = ['session_id', 'generation', 'version', 'status'] as const;

/** The database holds a Worker's session twice, as it is and as it became so: the contract's, and whichever else there is. */
export function currentSessionRule(run: ObservedRun): Rule {
  const [current, history] = ['worker_sessions', 'worker_session_history'].map((table) => rowsOf(run, table)) as [ReturnType<typeof rowsOf>, ReturnType<typeof rowsOf>];
  const lives = groupBy(history, (row) => textIn(row, 'worker_id'));
  const agree = current.length === lives.size && current.every((row) => {
    const last = byVersion(lives.get(textIn(row, 'worker_id')) ?? []).at(-1);
    return last !== undefined && TOLD_IN_BOTH.every((column) => row.columns[column] === last.columns[column]);
  });
  return rule("each Worker's session is what its history ends with", agree && current.length > 0, [...current, ...history]);
}
