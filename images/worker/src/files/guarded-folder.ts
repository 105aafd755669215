import { lstat } from 'node:fs/promises';

import { systemCode, WorkerError } from '../errors.ts';
import { octal } from './guarded-file.ts';

/** A real folder (no link) without the forbidden permission bits; otherwise WORKER_FOLDER_REFUSED. */
export async function assertGuardedFolder(path: string, what: string, forbiddenMode: number): Promise<void> {
  const stats = await lstat(path).catch((cause: unknown) => {
    throw refused(path, what, `expected a folder, got an error (${systemCode(cause) ?? 'unknown'})`, systemCode(cause), cause);
  });
  if (!stats.isDirectory()) {
    throw refused(path, what, `expected a folder, got ${stats.isSymbolicLink() ? 'a symbolic link' : 'another kind of file'}`, 'not_folder');
  }
  if ((stats.mode & forbiddenMode) !== 0) {
    throw refused(path, what, `expected none of the mode bits ${octal(forbiddenMode)}, got mode ${octal(stats.mode & 0o7777)}: remove them with chmod`, 'mode');
  }
}

function refused(path: string, what: string, problem: string, reason: string | null, cause?: unknown): WorkerError {
  return new WorkerError('WORKER_FOLDER_REFUSED', `${what} at ${path}: ${problem}`, { cause, facts: { path, reason } });
}
