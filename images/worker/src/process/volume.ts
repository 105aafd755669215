import type { WorkerConfiguration } from '../configuration/worker-configuration.ts';
import type { WorkerError } from '../errors.ts';
import { assertGuardedFolder } from '../files/guarded-folder.ts';
import type { Journal } from '../journal/journal.ts';
import { openJournal, ROTATE_ABOVE_BYTES, rotateJournal, type JournalOptions } from '../journal/open-journal.ts';
import { reconcile } from '../journal/reconciliation.ts';
import { acquireLock } from '../ownership/acquire-lock.ts';
import type { OwnershipLock } from '../ownership/ownership-lock.ts';
import { currentProcessIdentity } from '../ownership/process-identity.ts';
import { countRolloutRecords } from '../rollout/rollout-journal.ts';
import type { EventLog } from './event-log.ts';

/** The volume in the hands of this process: locked, its journal reconciled and open. */
export interface OwnedVolume {
  readonly lock: OwnershipLock;
  readonly journal: Journal;
}

export async function assertVolumeFolders(configuration: WorkerConfiguration): Promise<void> {
  const folders = [
    [configuration.journalRoot, 'the journal folder'],
    [configuration.logRoot, 'the log folder'],
    [configuration.receiptRoot, 'the receipt folder'],
    [configuration.certificateStoreRoot, 'the certificate store'],
  ] as const;
  // The group may write: a kubelet that applies an fsGroup sees to that. Others never may.
  for (const [path, what] of folders) await assertGuardedFolder(path, what, 0o002);
}

/** Waits for the volume, then closes what a predecessor left open. Null when told to stop before it had it. */
export async function ownVolume(
  configuration: WorkerConfiguration,
  log: EventLog,
  signal: AbortSignal,
  onLost: (error: WorkerError) => void,
): Promise<OwnedVolume | null> {
  const { journalRoot: root, workerId, podUid } = configuration;
  const acquired = await acquireLock({
    root,
    self: await currentProcessIdentity(podUid),
    onWait: (wait) => log.warn('runtime_diagnostic', { code: 'lock_waiting', ...wait }),
    onLost,
    signal,
  });
  if (acquired === null) return null;
  const { lock, ground, waitedMs } = acquired;
  log.info('runtime_diagnostic', { code: 'lock_acquired', epoch: lock.epoch, ground, waitedMs });
  try {
    const options = { root, workerId, assertOwned: () => lock.assertHeld(), detachFromFormerOwner: ground === 'unrefreshed' };
    return { lock, journal: await reconciledJournal(options, log) };
  } catch (error) {
    await lock.release().catch(() => {});
    throw error;
  }
}

async function reconciledJournal(options: JournalOptions, log: EventLog): Promise<Journal> {
  const { journal, found } = await openJournal(options);
  const counts = await reconcile(journal, found);
  log.info('reconciled', { ...counts, rolloutRecordsFound: await countRolloutRecords(options.root) });
  return journal.sizeBytes > ROTATE_ABOVE_BYTES ? await rotateJournal(journal, options) : journal;
}
