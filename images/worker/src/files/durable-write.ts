import { constants } from 'node:fs';
import { chmod, open, rename, rm } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';

/** Makes what was created, renamed or removed in a folder survive a power loss (fsync(2), NOTES). */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Creates a file that must not exist, with exactly this mode whatever the umask is, and syncs it. */
export async function createSynced(path: string, bytes: Uint8Array, mode: number): Promise<void> {
  const file = await open(path, 'wx', mode);
  try {
    await file.writeFile(bytes);
    await file.chmod(mode);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Replaces a file at once: a reader sees the old bytes or the new ones, never a part. */
export async function replaceSynced(path: string, bytes: Uint8Array, mode: number): Promise<void> {
  const temporary = join(dirname(path), `.incoming-${randomBytes(8).toString('hex')}`);
  try {
    await createSynced(temporary, bytes, mode);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}

/** chmod, only where it changes something: on a mount that belongs to another user it is not permitted, and often not needed. */
export async function tightenMode(path: string, currentMode: number, wantedMode: number): Promise<void> {
  if ((currentMode & 0o7777) !== wantedMode) await chmod(path, wantedMode);
}
