import { WorkerError } from '../errors.ts';
import type { Journal } from './journal.ts';
import type { ScannedJournal } from './journal-scan.ts';
import { foldSessions, isOpen } from './session-ledger.ts';

/** The counts of the `reconciled` event. */
export interface Reconciliation {
  readonly recordsFound: number;
  readonly sessionsFound: number;
  readonly sessionsOffline: number;
  readonly sessionsAbandonedEarlier: number;
  readonly sessionsAbandonedNow: number;
  readonly abandonedSessionIds: readonly string[];
  readonly tornRecords: number;
  readonly tornBytes: number;
}

/**
 * Closes what a predecessor left open. It runs before any registration: from here on the only session that can be open on
 * this volume is the one that this process registers.
 */
export async function reconcile(journal: Journal, found: ScannedJournal): Promise<Reconciliation> {
  const { states, firstContradiction } = foldSessions(found.records);
  if (firstContradiction !== null) {
    throw new WorkerError('WORKER_JOURNAL_DAMAGED', `the journal at ${journal.path} contradicts itself at record ${firstContradiction}: its checksum is right, its session state is not`, {
      facts: { path: journal.path, record: firstContradiction },
    });
  }
  const open = [...states].filter(([, state]) => isOpen(state)).map(([sessionId]) => sessionId);
  for (const sessionId of open) await journal.append({ type: 'abandoned', sessionId, reason: 'found_at_start' });
  const count = (wanted: string): number => [...states.values()].filter((state) => state === wanted).length;
  return {
    recordsFound: found.records.length,
    sessionsFound: states.size,
    sessionsOffline: count('offline'),
    sessionsAbandonedEarlier: count('abandoned'),
    sessionsAbandonedNow: open.length,
    abandonedSessionIds: open,
    tornRecords: found.tornBytes > 0 ? 1 : 0,
    tornBytes: found.tornBytes,
  };
}
