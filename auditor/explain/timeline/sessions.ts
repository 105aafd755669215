import { CONTRACT_NAMES } from '../../../evidence/contract-names.ts';
import type { ObservedRun } from '../../../evidence/facts/observed-run.ts';
import { productSessions, recordedAtMs } from '../../../evidence/facts/product-sessions.ts';
import { textIn } from '../../../evidence/facts/rows.ts';
import type { RunClock } from './clock.ts';
import { moment, span } from './make-mark.ts';
import type { CredentialNumber, Lane, Mark } from './mark.ts';

/** The production Worker's sessions by the database: online, draining, offline. They take turns in two rows. */
export function sessions(run: ObservedRun, clock: RunClock): Lane {
  const all = productSessions(run).map(({ online, draining, offline, heartbeat, history, sessionId }, index): Mark[] => {
    const number = index + 1;
    const base = { witness: 'database', credential: (CONTRACT_NAMES.credentialIds.findIndex((id) => id === textIn(online, 'credential_id')) + 1) as CredentialNumber } as const;
    const [fromMs, toMs, drainingMs] = [clock.since(recordedAtMs(online)), clock.since(recordedAtMs(offline)), clock.since(recordedAtMs(draining))];
    return [
      ...span({ ...base, key: `session/${number}`, fromMs, toMs, look: 'solid', parts: Number.isNaN(drainingMs) ? [] : [{ fromMs: drainingMs, toMs: Number.isNaN(toMs) ? Number.POSITIVE_INFINITY : toMs, look: 'ending' }], label: `session ${number}`, shortLabel: String(number), words: `session ${number} (${sessionId}): online, then draining, then offline`, seqs: history }),
      ...moment({ ...base, key: `heartbeat/${number}`, atMs: clock.since(recordedAtMs(heartbeat)), look: 'tick', label: '', words: `first heartbeat of session ${number}`, seqs: [heartbeat] }),
    ];
  });
  return { id: 'sessions', title: 'Sessions', witness: 'database', rows: [all.filter((_, index) => index % 2 === 0).flat(), all.filter((_, index) => index % 2 === 1).flat()].filter((row) => row.length > 0) };
}
