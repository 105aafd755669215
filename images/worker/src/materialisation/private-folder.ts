import { chmod, lstat, mkdir } from 'node:fs/promises';

import { systemCode, WorkerError } from '../errors.ts';
import { octal } from '../files/guarded-file.ts';

/**
 * Makes a folder that is ours alone, mode 0700, or tightens one that exists: a kubelet that applies an fsGroup opens what it
 * finds to the group. Only folders of our own are touched, never the mount above them, which belongs to the kubelet.
 */
export async function ensurePrivateFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw refused(path, `cannot be made (${systemCode(error) ?? 'unknown'}); is the volume mounted and writable for uid ${process.getuid?.() ?? 'unknown'}?`, error);
  }
  const stats = await lstat(path);
  if (!stats.isDirectory()) throw refused(path, `expected a folder, got ${stats.isSymbolicLink() ? 'a symbolic link' : 'another kind of file'}`);
  // The umask may have taken bits away, and a set-gid parent adds its own, which does no harm.
  if ((stats.mode & 0o777) !== 0o700) {
    await chmod(path, 0o700).catch((cause: unknown) => {
      throw refused(path, `expected mode 0700, got ${octal(stats.mode & 0o7777)}, and it belongs to uid ${stats.uid}, so that it cannot be changed`, cause);
    });
  }
}

function refused(path: string, problem: string, cause?: unknown): WorkerError {
  return new WorkerError('WORKER_FOLDER_REFUSED', `the folder ${path}: ${problem}`, { cause, facts: { path } });
}
