import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HarnessError } from './errors.ts';
import { writeOwnerFile } from './owner-file.ts';

export const RUN_DIRECTORY_PREFIX = 'ql3-evidence-';

/** A fresh private folder (0700) in the system's temporary folder. */
export function createPrivateDirectory(prefix: string): string {
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
