import { constants, type Stats } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';

import { systemCode, WorkerError } from '../errors.ts';

export interface FileGuard {
  /** What the file is, for the error message: "the credential token". */
  readonly what: string;
  readonly maxBytes: number;
  /** Permission bits that must not be set: 0o077 for secrets, 0o022 for what only must not be altered by others. */
  readonly forbiddenMode: number;
}

/**
 * Reads a regular file that is no link, not too large and not open to others. All checks are made on the opened file, so a
 * file that is replaced meanwhile is seen whole, as it was or as it is. O_NONBLOCK keeps a FIFO in its place from hanging us.
 * The caller owns the buffer and zeroes it if it is secret.
 */
export async function readGuardedFile(path: string, guard: FileGuard): Promise<Buffer> {
  const file = await openRefusingLinks(path, guard);
  try {
    refuseUnguarded(await file.stat(), path, guard);
    return await readAtMost(file, path, guard);
  } finally {
    await file.close();
  }
}

async function openRefusingLinks(path: string, guard: FileGuard): Promise<FileHandle> {
  try {
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (cause) {
    const code = systemCode(cause);
    const got = code === 'ELOOP' ? 'a symbolic link' : code === 'ENOENT' ? 'nothing' : `an error (${code ?? 'unknown'})`;
    throw refused(path, guard, `expected a regular file, got ${got}`, code, cause);
  }
}

function refuseUnguarded(stats: Stats, path: string, guard: FileGuard): void {
  if (!stats.isFile()) throw refused(path, guard, 'expected a regular file, got another kind of file', 'not_regular');
  if (stats.size > guard.maxBytes) throw refused(path, guard, `expected at most ${guard.maxBytes} bytes, got ${stats.size}`, 'too_large');
  const open = stats.mode & guard.forbiddenMode;
  if (open !== 0) {
    throw refused(path, guard, `expected none of the mode bits ${octal(guard.forbiddenMode)}, got mode ${octal(stats.mode & 0o7777)}: remove them with chmod`, 'mode');
  }
}

async function readAtMost(file: FileHandle, path: string, guard: FileGuard): Promise<Buffer> {
  const bytes = Buffer.alloc(guard.maxBytes + 1);
  let length = 0;
  while (length < bytes.length) {
    const { bytesRead } = await file.read(bytes, length, bytes.length - length, length);
    if (bytesRead === 0) return bytes.subarray(0, length);
    length += bytesRead;
  }
  bytes.fill(0);
  throw refused(path, guard, `expected at most ${guard.maxBytes} bytes, got more`, 'too_large');
}

function refused(path: string, guard: FileGuard, problem: string, reason: string | null, cause?: unknown): WorkerError {
  return new WorkerError('WORKER_FILE_REFUSED', `${guard.what} at ${path}: ${problem}`, { cause, facts: { path, reason } });
}

export function octal(mode: number): string {
  return `0${mode.toString(8)}`;
}
