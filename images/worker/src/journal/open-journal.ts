import { constants } from 'node:fs';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { systemCode, WorkerError } from '../errors.ts';
import { createSynced, replaceSynced, syncFolder } from '../files/durable-write.ts';
import { Journal } from './journal.ts';
import { scanJournal, type ScannedJournal } from './journal-scan.ts';

export const JOURNAL_FILE = 'worker-sessions.journal';
/** A journal of this size starts anew once all of its sessions are closed; the old one is kept until the next time. */
export const ROTATE_ABOVE_BYTES = 4 * 1024 * 1024;
const ARCHIVE_FILE = 'worker-sessions.previous.journal';
const MODE = 0o600;

export interface JournalOptions {
  readonly root: string;
  readonly workerId: string;
  /** Throws when the volume has passed to another owner. */
  readonly assertOwned: () => Promise<void>;
  /** True when the former owner may still live: it then keeps its open file, and we go on in a copy that it cannot reach. */
  readonly detachFromFormerOwner: boolean;
}

export interface OpenedJournal {
  readonly journal: Journal;
  readonly found: ScannedJournal;
}

/** Opens the journal, cuts off a torn last record, and begins one where there is none. Only the lock's owner may call it. */
export async function openJournal(options: JournalOptions): Promise<OpenedJournal> {
  const path = join(options.root, JOURNAL_FILE);
  try {
    const bytes = await readExisting(path);
    const found = scanJournal(bytes, path);
    refuseForeign(found, options.workerId, path);
    if (options.detachFromFormerOwner && bytes.length > 0) await replaceSynced(path, bytes.subarray(0, found.soundBytes), MODE);
    const journal = await openAt(path, found, options.assertOwned);
    if (found.records.length === 0) await journal.append({ type: 'created', workerId: options.workerId });
    await syncFolder(options.root);
    return { journal, found };
  } catch (error) {
    if (error instanceof WorkerError) throw error;
    throw unavailable(path, error);
  }
}

/** Puts a large journal aside. All of its sessions must be closed, so that a crash in between loses nothing that matters. */
export async function rotateJournal(journal: Journal, options: JournalOptions): Promise<Journal> {
  await journal.close();
  const archive = join(options.root, ARCHIVE_FILE);
  await rm(archive, { force: true });
  await rename(journal.path, archive);
  await syncFolder(options.root);
  return (await openJournal({ ...options, detachFromFormerOwner: false })).journal;
}

async function readExisting(path: string): Promise<Buffer> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch((cause: unknown) => {
    if (systemCode(cause) === 'ENOENT') return null;
    throw cause;
  });
  if (file === null) {
    await createSynced(path, new Uint8Array(), MODE);
    return Buffer.alloc(0);
  }
  try {
    const stats = await file.stat();
    if (!stats.isFile() || (stats.mode & 0o002) !== 0) {
      throw new WorkerError('WORKER_FILE_REFUSED', `the journal at ${path}: expected a regular file that others cannot write`, { facts: { path } });
    }
    return await readFile(file);
  } finally {
    await file.close();
  }
}

async function openAt(path: string, found: ScannedJournal, assertOwned: () => Promise<void>): Promise<Journal> {
  const file = await open(path, constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW);
  try {
    const { size } = await file.stat();
    if (size !== found.soundBytes) {
      await assertOwned();
      await file.truncate(found.soundBytes);
      await file.sync();
    }
  } catch (error) {
    await file.close();
    throw error;
  }
  return new Journal(path, file, { link: found.link, sequence: found.records.length, sizeBytes: found.soundBytes }, assertOwned);
}

function refuseForeign(found: ScannedJournal, workerId: string, path: string): void {
  const first = found.records[0];
  if (first === undefined || (first.type === 'created' && first.workerId === workerId)) return;
  const owner = first.type === 'created' ? `of the Worker ${first.workerId}` : 'without an owner';
  throw new WorkerError('WORKER_JOURNAL_FOREIGN', `the journal at ${path} is one ${owner}, expected ${workerId}: one volume belongs to one Worker id`, { facts: { path } });
}

function unavailable(path: string, cause: unknown): WorkerError {
  const reason = systemCode(cause);
  return new WorkerError('WORKER_JOURNAL_UNAVAILABLE', `the journal at ${path} cannot be opened (${reason ?? 'unknown'}); check the volume`, { cause, facts: { path, reason } });
}
