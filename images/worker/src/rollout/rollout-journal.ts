import { constants } from 'node:fs';
import { mkdir, open, readFile, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { syncFolder } from '../files/durable-write.ts';
import { systemCode, WorkerError } from '../errors.ts';

export const ROLLOUT_FILE = 'rollout.log';
const MAX_BYTES = 1_048_576;

/** The plain-text journal of the bounded actor: one line for each start and stop of a Pod. */
export function rolloutJournalPath(stateRoot: string): string {
  return join(stateRoot, 'journal', ROLLOUT_FILE);
}

/** Every complete line; an empty list without a file. A last line without its newline was never acknowledged and is left out. */
export async function readRolloutLines(path: string): Promise<string[]> {
  const text = await readText(path);
  const complete = text.slice(0, text.lastIndexOf('\n') + 1);
  return complete === '' ? [] : complete.slice(0, -1).split('\n');
}

/** Null when it cannot be read: what the actor left is told by the Worker, and never stops it. */
export async function countRolloutRecords(journalRoot: string): Promise<number | null> {
  try {
    return (await readRolloutLines(join(journalRoot, ROLLOUT_FILE))).length;
  } catch {
    return null;
  }
}

/** Appends one line and returns when it, and the file's name, are on the disk. */
export async function appendRolloutLine(path: string, line: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const file = await open(path, constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW, 0o600);
  try {
    await cutTornLine(file);
    await file.appendFile(`${line}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await syncFolder(dirname(path));
}

// What a crash left behind would otherwise become the beginning of our line.
async function cutTornLine(file: FileHandle): Promise<void> {
  const { size } = await file.stat();
  if (size > MAX_BYTES) throw tooLarge(size);
  const bytes = Buffer.alloc(size);
  await file.read(bytes, 0, size, 0);
  const end = bytes.lastIndexOf(0x0a) + 1;
  if (end !== size) await file.truncate(end);
}

async function readText(path: string): Promise<string> {
  let file: FileHandle;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return '';
    throw error;
  }
  try {
    const { size } = await file.stat();
    if (size > MAX_BYTES) throw tooLarge(size);
    return await readFile(file, 'utf8');
  } finally {
    await file.close();
  }
}

function tooLarge(size: number): WorkerError {
  return new WorkerError('WORKER_FILE_REFUSED', `${ROLLOUT_FILE}: expected at most ${MAX_BYTES} bytes, got ${size}`, { facts: { sizeBytes: size } });
}
