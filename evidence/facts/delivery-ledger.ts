import { rule, type Rule } from '../verdict.ts';
import { groupBy } from './group-by.ts';
import type { ObservedRun } from './observed-run.ts';
import { byVersion, rowsOf, rowsWhere, textIn, type Row } from './rows.ts';
import { operationOf } from './session-audits.ts';

/** What each version of a delivery says that it has become, from the first on. */
const STATES = ['credential_committed', 'published', 'observed', 'previous_revoked'];
const OWN_OF_VERSION = new Set(['version', 'state']);

/** Every delivery, of whichever Worker, is told from its beginning; the first change of a session under its credential after the registration observes it, and its predecessor is revoked in its name. */
export function ledgerRule(run: ObservedRun): Rule {
  const [ledger, history] = [rowsOf(run, 'worker_credential_deliveries'), rowsOf(run, 'worker_session_history')];
  const revocations = rowsWhere(rowsOf(run, 'worker_credential_mutations'), 'operation', 'revoke');
  const deliveries = [...groupBy(byVersion(ledger), (row) => textIn(row, 'delivery_id')).values()];
  const uses = groupBy(byVersion(history).filter((row) => operationOf(row) !== 'register'), (row) => textIn(row, 'credential_id'));
  const isWhole = (versions: readonly Row[]): boolean => {
    const [use] = uses.get(textIn(versions[0], 'credential_id')) ?? [];
    const revocation = revocations.find((row) => textIn(row, 'delivery_id') === textIn(versions[0], 'delivery_id'));
    return versions.every((row, index) => follows(versions[index - 1], row, index)) && endsWith(versions.at(-1), use, revocation);
  };
  const revoked = rowsWhere(ledger, 'version', STATES.length);
  return rule('every delivery is told from its beginning without a gap, repeats what was said before, was observed by the first session that went on with its credential, and revoked its predecessor', deliveries.length > 0 && deliveries.every(isWhole) && revoked.length === revocations.length, [...ledger, ...history, ...revocations]);
}

function follows(before: Row | undefined, { columns }: Row, index: number): boolean {
  const repeats = Object.entries(before?.columns ?? {}).every(([column, value]) => value === null || OWN_OF_VERSION.has(column) || columns[column] === value);
  return columns['version'] === index + 1 && columns['state'] === STATES[index] && repeats;
}

function endsWith(last: Row | undefined, use: Row | undefined, revocation: Row | undefined): boolean {
  const same = (own: string, other: Row | undefined, column: string): boolean => (last?.columns[own] ?? null) === (other?.columns[column] ?? null);
  return (
    same('observed_session_id', use, 'session_id') &&
    same('observed_session_version', use, 'version') &&
    same('previous_revoked_at_ms', revocation, 'mutated_at_ms') &&
    (revocation === undefined || (same('previous_credential_id', revocation, 'credential_id') && same('worker_id', revocation, 'worker_id')))
  );
}
