import { rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

import { systemCode, WorkerError } from '../errors.ts';
import { createLockFile, listEpochs, lockPath, readLockFile, refreshCounter, type LockClaim } from './lock-file.ts';
import { OwnershipLock, UNREFRESHED_AFTER_MS } from './ownership-lock.ts';
import { isProvablyGone, type ProcessIdentity } from './process-identity.ts';

const POLL_MS = 100;
const REPORT_EVERY_MS = 5_000;

/** Why the volume was free to take. After `unrefreshed` the former owner may still live and must be kept from the journal. */
export type LockGround = 'first' | 'released' | 'owner_gone' | 'unrefreshed';

export interface LockWait {
  readonly owner: ProcessIdentity | null;
  readonly waitedMs: number;
  readonly unchangedForMs: number;
}

export interface LockOptions {
  readonly root: string;
  readonly self: ProcessIdentity;
  /** Called when a wait begins and every 5 s while it lasts. */
  readonly onWait: (wait: LockWait) => void;
  readonly onLost: (error: WorkerError) => void;
  readonly signal: AbortSignal;
}

export interface AcquiredLock {
  readonly lock: OwnershipLock;
  readonly ground: LockGround;
  readonly waitedMs: number;
}

/** Waits for the volume and takes it; null when told to stop before. */
export async function acquireLock(options: LockOptions): Promise<AcquiredLock | null> {
  const startedAt = performance.now();
  const seen = new Observation();
  let reportAt = 0;
  while (!options.signal.aborted) {
    const attempt = await tryAcquire(options, seen).catch((error: unknown) => {
      throw unavailable(options.root, error);
    });
    const waitedMs = Math.round(performance.now() - startedAt);
    if (attempt.lock !== null) return { lock: attempt.lock, ground: attempt.ground, waitedMs };
    if (waitedMs >= reportAt) {
      options.onWait({ owner: attempt.owner, waitedMs, unchangedForMs: seen.unchangedForMs });
      reportAt = waitedMs + REPORT_EVERY_MS;
    }
    await delay(POLL_MS, undefined, { signal: options.signal }).catch(() => {});
  }
  return null;
}

type Attempt = { lock: OwnershipLock; ground: LockGround } | { lock: null; owner: ProcessIdentity | null };

async function tryAcquire(options: LockOptions, seen: Observation): Promise<Attempt> {
  const highest = (await listEpochs(options.root)).at(-1) ?? 0;
  const ground = highest === 0 ? { free: 'first' as const } : await groundToFollow(options, highest, seen);
  if (ground.free === null) return { lock: null, owner: ground.owner };
  const lock = await follow(options, highest + 1);
  return lock === null ? { lock: null, owner: null } : { lock, ground: ground.free };
}

type Ground = { free: LockGround } | { free: null; owner: ProcessIdentity | null };

async function groundToFollow(options: LockOptions, epoch: number, seen: Observation): Promise<Ground> {
  const path = lockPath(options.root, epoch);
  const readAt = performance.now();
  const file = await readLockFile(path);
  if (file === null) return { free: null, owner: null };
  seen.note(`${epoch} ${file.text}`, readAt);
  if (file.claim?.released === true) return { free: 'released' };
  if (file.claim !== null && (await isProvablyGone(file.claim.owner, options.self))) {
    // It may have released the lock after we had read it; now nobody writes there any more.
    return { free: (await readLockFile(path))?.claim?.released === true ? 'released' : 'owner_gone' };
  }
  // Measured by our own monotonic clock: the clocks of two machines, or one that jumps, must not decide about a volume.
  if (seen.unchangedForMs > UNREFRESHED_AFTER_MS) return { free: 'unrefreshed' };
  return { free: null, owner: file.claim?.owner ?? null };
}

async function follow(options: LockOptions, epoch: number): Promise<OwnershipLock | null> {
  const path = lockPath(options.root, epoch);
  const claim: LockClaim = { owner: options.self, acquiredAtMs: Date.now(), released: false, refreshes: refreshCounter(0) };
  const file = await createLockFile(path, claim);
  if (file === null) return null;
  if (((await listEpochs(options.root)).at(-1) ?? 0) > epoch) {
    // We were slow: our number had been used and removed. Its re-creation owns nothing.
    await file.close();
    await rm(path, { force: true });
    return null;
  }
  const lock = new OwnershipLock(options.root, epoch, file, claim, options.onLost);
  await lock.removeFormer();
  return lock;
}

/** For how long the lock has looked the same at least: from the end of the first look to the beginning of the last, so that a pause of ours counts as nobody's silence. */
class Observation {
  #last: string | null = null;
  #since = 0;
  #unchangedForMs = 0;

  get unchangedForMs(): number {
    return this.#unchangedForMs;
  }

  note(state: string, readAt: number): void {
    if (state === this.#last) {
      this.#unchangedForMs = Math.round(readAt - this.#since);
      return;
    }
    this.#last = state;
    this.#since = performance.now();
    this.#unchangedForMs = 0;
  }
}

function unavailable(root: string, cause: unknown): WorkerError {
  if (cause instanceof WorkerError) return cause;
  const reason = systemCode(cause);
  return new WorkerError('WORKER_LOCK_UNAVAILABLE', `the ownership lock in ${root} cannot be read or made (${reason ?? 'unknown'}); check the volume and its permissions`, { cause, facts: { reason } });
}
