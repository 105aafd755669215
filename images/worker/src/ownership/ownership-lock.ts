import { access, rm, stat, type FileHandle } from 'node:fs/promises';

import { systemCode, WorkerError } from '../errors.ts';
import { syncFolder } from '../files/durable-write.ts';
import { listEpochs, lockPath, refreshCounter, writeClaim, type LockClaim } from './lock-file.ts';

export const REFRESH_INTERVAL_MS = 1_000;
/** A lock that was not refreshed for this long may be followed by another owner. */
export const UNREFRESHED_AFTER_MS = 5_000;
/** Our own lock counts as certain for less than that, so that we notice a pause before a successor may act on it. */
const CERTAIN_FOR_MS = 3_000;

/** The held lock. It is lost, for good, as soon as a higher epoch exists: it never fights for the volume. */
export class OwnershipLock {
  readonly epoch: number;
  readonly #root: string;
  readonly #file: FileHandle;
  readonly #timer: NodeJS.Timeout;
  readonly #onLost: (error: WorkerError) => void;
  #claim: LockClaim;
  #refreshes = 0;
  #refreshedAt = performance.now();
  #refreshing: Promise<void> | null = null;

  constructor(root: string, epoch: number, file: FileHandle, claim: LockClaim, onLost: (error: WorkerError) => void) {
    this.epoch = epoch;
    this.#root = root;
    this.#file = file;
    this.#claim = claim;
    this.#onLost = onLost;
    this.#timer = setInterval(() => this.#refreshInBackground(), REFRESH_INTERVAL_MS).unref();
  }

  /** Throws WORKER_LOCK_LOST when another process has followed us. Cheap enough to be asked before every write. */
  async assertHeld(): Promise<void> {
    if (await this.#isFollowed()) throw this.#lost();
    if (performance.now() - this.#refreshedAt > CERTAIN_FOR_MS) await this.#refresh();
  }

  /** Marks the lock as released; the file stays, because its number must not be used again. */
  async release(): Promise<void> {
    clearInterval(this.#timer);
    await this.#refreshing?.catch(() => {});
    this.#claim = { ...this.#claim, released: true };
    await writeClaim(this.#file, this.#claim);
    await this.#file.sync();
    await this.#file.close();
  }

  /** Stops refreshing without a release, for a process that no longer owns the lock or cannot write it. */
  async forsake(): Promise<void> {
    clearInterval(this.#timer);
    await this.#refreshing?.catch(() => {});
    await this.#file.close().catch(() => {});
  }

  /** Removes the files of former owners. */
  async removeFormer(): Promise<void> {
    const former = (await listEpochs(this.#root)).filter((epoch) => epoch < this.epoch);
    for (const epoch of former) await rm(lockPath(this.#root, epoch), { force: true });
    await syncFolder(this.#root);
  }

  #refreshInBackground(): void {
    if (this.#refreshing !== null) return;
    this.#refreshing = this.#refresh()
      .catch((error: unknown) => this.#onLost(error instanceof WorkerError ? error : this.#unavailable(error)))
      .finally(() => {
        this.#refreshing = null;
      });
  }

  async #refresh(): Promise<void> {
    if (await this.#isFollowed()) throw this.#lost();
    this.#refreshes += 1;
    this.#claim = { ...this.#claim, refreshes: refreshCounter(this.#refreshes) };
    const startedAt = performance.now();
    await writeClaim(this.#file, this.#claim);
    this.#refreshedAt = startedAt;
  }

  async #isFollowed(): Promise<boolean> {
    try {
      await access(lockPath(this.#root, this.epoch + 1));
      return true;
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw this.#unavailable(error);
    }
    // Our own file vanishes only when somebody has followed our follower, or has emptied the folder under us.
    const own = await stat(lockPath(this.#root, this.epoch)).catch(() => null);
    return own === null || own.ino !== (await this.#file.stat()).ino;
  }

  #lost(): WorkerError {
    return new WorkerError('WORKER_LOCK_LOST', `the ownership lock of ${this.#root} has passed to another process: this one was silent for more than ${UNREFRESHED_AFTER_MS} ms`, {
      facts: { epoch: this.epoch },
    });
  }

  #unavailable(cause: unknown): WorkerError {
    const reason = systemCode(cause);
    return new WorkerError('WORKER_LOCK_UNAVAILABLE', `the ownership lock of ${this.#root} cannot be read or written (${reason ?? 'unknown'}); check the volume`, { cause, facts: { reason } });
  }
}
