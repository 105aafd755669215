import { constants } from 'node:fs';
import { open, readdir, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';

import { systemCode } from '../errors.ts';
import type { ProcessIdentity } from './process-identity.ts';

const NAME = /^owner-(\d{10})\.lock$/;
const COUNTER_DIGITS = 12;
const MAX_BYTES = 4096;

/** What a lock file says. `refreshes` grows while its owner lives. */
export interface LockClaim {
  readonly owner: ProcessIdentity;
  readonly acquiredAtMs: number;
  readonly released: boolean;
  readonly refreshes: string;
}

/**
 * The lock is a sequence of files, one per ownership, numbered without gaps. Only the creator of the highest one owns the
 * volume, creation is exclusive, and a file is never removed before a higher one exists. So two successors that find the
 * same dead owner can never both follow it, and a late one can never remove the lock of the one that was faster.
 */
export function lockPath(root: string, epoch: number): string {
  return join(root, `owner-${String(epoch).padStart(10, '0')}.lock`);
}

/** Every epoch in the folder, ascending. */
export async function listEpochs(root: string): Promise<number[]> {
  const names = await readdir(root);
  return names
    .map((name) => NAME.exec(name)?.[1])
    .filter((digits) => digits !== undefined)
    .map(Number)
    .sort((a, b) => a - b);
}

/** Creates the file of an epoch, or returns null when another process has been faster. */
export async function createLockFile(path: string, claim: LockClaim): Promise<FileHandle | null> {
  let file: FileHandle;
  try {
    file = await open(path, 'wx', 0o600);
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return null;
    throw error;
  }
  try {
    await writeClaim(file, claim);
    await file.sync();
    return file;
  } catch (error) {
    await file.close();
    // Left behind it would be a lock without a name, for whose silence every successor had to wait.
    await rm(path, { force: true });
    throw error;
  }
}

/** Written in place and always of the same length: it cannot reach the file of a later owner, and cannot leave a part behind. */
export async function writeClaim(file: FileHandle, claim: LockClaim): Promise<void> {
  const bytes = Buffer.from(`${JSON.stringify({ ...claim, released: claim.released ? 1 : 0 })}\n`);
  await file.write(bytes, 0, bytes.length, 0);
}

export function refreshCounter(count: number): string {
  return String(count).padStart(COUNTER_DIGITS, '0');
}

/** The raw text (to see whether it changes) and what it says; null when it is gone, `claim: null` when it is not readable as one. */
export async function readLockFile(path: string): Promise<{ text: string; claim: LockClaim | null } | null> {
  let file: FileHandle;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  }
  try {
    const bytes = Buffer.alloc(MAX_BYTES);
    const { bytesRead } = await file.read(bytes, 0, MAX_BYTES, 0);
    const text = bytes.toString('utf8', 0, bytesRead);
    return { text, claim: parseClaim(text) };
  } finally {
    await file.close();
  }
}

function parseClaim(text: string): LockClaim | null {
  try {
    const value = JSON.parse(text) as Record<string, unknown> | null;
    const owner = value?.['owner'] as Record<string, unknown> | null | undefined;
    if (typeof value !== 'object' || value === null || typeof owner !== 'object' || owner === null) return null;
    const named = ['bootId', 'pidNamespace', 'startTime'].every((key) => typeof owner[key] === 'string') && Number.isSafeInteger(owner['pid']);
    const podUid = owner['podUid'];
    if (!named || (podUid !== null && typeof podUid !== 'string')) return null;
    return {
      owner: owner as unknown as ProcessIdentity,
      acquiredAtMs: Number(value['acquiredAtMs']),
      released: value['released'] === 1,
      refreshes: String(value['refreshes']),
    };
  } catch {
    return null;
  }
}
