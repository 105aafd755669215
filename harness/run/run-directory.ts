import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HarnessError } from './errors.ts';
import { writeOwnerFile } from './owner-file.ts';

export const RUN_DIRECTORY_PREFIX = 'ql3-evidence-';

/** What TMPDIR names has to be a folder: that is a mistake in the command's surroundings, and known before anything starts. */
export function assertTemporaryFolder(): void {
  const stats = statSync(tmpdir(), { throwIfNoEntry: false });
  if (stats?.isDirectory() !== true) throw new HarnessError('QL3_USAGE', `expected TMPDIR to name a folder, got ${tmpdir()}, ${stats === undefined ? 'which is not there' : 'which is none'}; set it to a folder of your own, or unset it`);
}

/** A fresh private folder (0700) in the system's temporary folder. */
export function createPrivateDirectory(prefix: string): string {
  assertTemporaryFolder();
  const parent = tmpdir();
  try {
    const directory = mkdtempSync(join(realpathSync(parent), prefix));
    chmodSync(directory, 0o700);
    return directory;
  } catch (cause) {
    throw new HarnessError('QL3_ENVIRONMENT', `expected a folder for temporary files that this user can write to, got ${parent}: ${(cause as Error).message}; set TMPDIR to such a folder`, { cause });
  }
}

/** The run's keys and sockets live only below it. */
export function createRunDirectory(runId: string): string {
  const directory = createPrivateDirectory(RUN_DIRECTORY_PREFIX);
  try {
    writeOwnerFile(directory, { runId });
    mkdirSync(join(directory, 'substrate'), { mode: 0o700 });
  } catch (error) {
    rmSync(directory, { recursive: true, force: true });
    throw error;
  }
  return directory;
}

/** Patient: what a frozen cluster leaves is removed by others at the same time, and its last processes may still write. */
export async function removeRunDirectory(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true, maxRetries: 15 });
}
