import { actionChains } from '../../../evidence/facts/actions.ts';
import type { ObservedRun } from '../../../evidence/facts/observed-run.ts';
import { numberIn, textIn } from '../../../evidence/facts/rows.ts';
import type { RunClock } from './clock.ts';
import { moment, span } from './make-mark.ts';
import type { Lane, Mark } from './mark.ts';

/** Versions of a delivery's ledger, with the column that says when. */
const LEDGER = [
  ['credential_committed_at_ms', 'committed'],
  ['published_at_ms', 'published'],
  ['observed_at_ms', 'observed: a session used it'],
  ['previous_revoked_at_ms', 'its predecessor was revoked'],
] as const;

/** Each credential from its commit to its revocation, with the versions of its delivery: a row for each generation. */
export function credentials(run: ObservedRun, clock: RunClock): Lane {
  const rows = actionChains(run).map(({ generation, credential, deliveries }): Mark[] => {
    const base = { witness: 'database', credential: generation } as const;
    const id = textIn(credential, 'credential_id');
    return [
      ...span({ ...base, key: `credential/${generation}`, fromMs: clock.since(numberIn(credential, 'issued_at_ms')), toMs: clock.since(numberIn(credential, 'revoked_at_ms')), look: 'solid', label: `credential ${generation}`, words: `credential ${id}: ${textIn(credential, 'state')}`, seqs: [credential] }),
      ...LEDGER.flatMap(([column, words], index) => {
        const row = deliveries.find((each) => numberIn(each, 'version') === index + 1);
        return moment({ ...base, key: `ledger/${generation}/${index + 1}`, atMs: clock.since(numberIn(row, column)), look: 'number', label: String(index + 1), words: `delivery ${generation}, version ${index + 1}: ${words}`, seqs: [row] });
      }),
    ];
  });
  return { id: 'credentials', title: 'Credentials', witness: 'database', rows: rows.filter((row) => row.length > 0) };
}
