import { rule, type Rule } from '../verdict.ts';
import { groupBy } from './group-by.ts';
import type { ObservedRun } from './observed-run.ts';
import { byVersion, rowsOf, textIn, type Row } from './rows.ts';
import { operationOf } from './session-audits.ts';

/** What each version of a delivery says that it has become, from the first on. */
const STATES = ['credential_committed', 'published', 'observed', 'previous_revoked'];
const OWN_OF_VERSION = new Set(['version', 'state']);

/** Every delivery, of whichever Worker, is told from its beginning; the first change of a session under its credential after the registration observes it. */
export function ledgerRule(run: ObservedRun): Rule {
  const [ledger, history] = [rowsOf(run, 'worker_credential_deliveries'), rowsOf(run, 'worker_session_history')];
  const deliveries = [...groupBy(byVersion(ledger), (row) => textIn(row, 'delivery_id')).values()];
  const uses = groupBy(byVersion(history).filter((row) => operationOf(row) !== 'register'), (row) => textIn(row, 'credential_id'));
  const isWhole = (versions: readonly Row[]): boolean => versions.every((row, index) => follows(versions[index - 1], row, index)) && observedBy(uses.get(textIn(versions[0], 'credential_id'))?.[0], versions.at(-1));
  return rule('every delivery is told from its beginning without a gap, repeats what was said before, and was observed by the first session that went on with its credential', deliveries.length > 0 && deliveries.every(isWhole), [...ledger, ...history]);
}

function follows(before: Row | undefined, { columns }: Row, index: number): boolean {
  const repeats = Object.entries(before?.columns ?? {}).every(([column, value]) => value === null || OWN_OF_VERSION.has(column) || columns[column] === value);
  return columns['version'] === index + 1 && columns['state'] === STATES[index] && repeats;
}

function observedBy(use: Row | undefined, last: Row | undefined): boolean {
  const observed = (column: string): unknown => last?.columns[`observed_session_${column}`] ?? null;
  return observed('id') === (use?.columns['session_id'] ?? null) && observed('version') === (use?.columns['version'] ?? null);
}
