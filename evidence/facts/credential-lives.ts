import { CLOCK_BOUND_MS } from '../clock-bound.ts';
import { rule, type Rule } from '../verdict.ts';
import { actionChains, publishedRow } from './actions.ts';
import { fact, type ObservedRun } from './observed-run.ts';
import { numberIn, rowsOf, rowsWhere, textIn, type Row } from './rows.ts';

/** Every credential of the database, of whichever Worker, was issued once and on record; and each generation of the contract brought a token of its own. */
export const credentialRules = fact((run: ObservedRun): Rule[] => {
  const [credentials, mutations] = [rowsOf(run, 'worker_credentials'), rowsOf(run, 'worker_credential_mutations')];
  const audits = rowsOf(run, 'security_audit_events').filter((row) => (textIn(row, 'action') ?? '').startsWith('worker_credential.'));
  const published = actionChains(run).map(publishedRow);
  return [
    rule('every credential was issued once, and no other was', areSame(credentials, rowsWhere(mutations, 'operation', 'issue'), 'credential_id', 'credential_id'), [...credentials, ...mutations]),
    rule('every issue and revocation is in the security audit once, and no other is', areSame(mutations, audits, 'audit_event_id', 'event_id'), [...mutations, ...audits]),
    rule('each generation has a token of its own', new Set(published.map((row) => textIn(row, 'token_digest'))).size === published.length, published),
  ];
});

function areSame(left: readonly Row[], right: readonly Row[], ofLeft: string, ofRight: string): boolean {
  const told = (rows: readonly Row[], column: string): string => rows.map((row) => textIn(row, column) ?? '').sort().join();
  return told(left, ofLeft) === told(right, ofRight);
}

/** Whether the credential of a session's state was valid when it was recorded: no longer before its time, not expired, not revoked. */
export function wasInForce(run: ObservedRun, state: Row): boolean {
  const credential = rowsWhere(rowsOf(run, 'worker_credentials'), 'credential_id', textIn(state, 'credential_id'))[0];
  const atMs = numberIn(state, 'recorded_at_ms');
  return numberIn(credential, 'not_before_at_ms') <= atMs && atMs <= numberIn(credential, 'expires_at_ms') && !(numberIn(credential, 'revoked_at_ms') + CLOCK_BOUND_MS < atMs);
}
