import { CONTRACT_NAMES } from '../contract-names.ts';
import { rule, type Rule } from '../verdict.ts';
import type { ObservedRun } from './observed-run.ts';
import { sessionHistory } from './product-sessions.ts';
import { rowsOf, rowsWhere } from './rows.ts';

const TOLD_IN_BOTH = ['session_id', 'generation', 'version', 'status'] as const;

/** The database holds a Worker's session twice, as it is and as it became so. */
export function currentSessionRule(run: ObservedRun): Rule {
  const [current, ...others] = rowsWhere(rowsOf(run, 'worker_sessions'), 'worker_id', CONTRACT_NAMES.workerId);
  const last = sessionHistory(run).at(-1);
  const agree = current !== undefined && last !== undefined && others.length === 0 && TOLD_IN_BOTH.every((column) => current.columns[column] === last.columns[column]);
  return rule("the Worker's session is what its history ends with", agree, [current, last]);
}
