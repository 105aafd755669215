import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** Whether every user may enter the folder and all folders above it; rejects where one of them is not there. */
export async function isReachableByAll(path: string): Promise<boolean> {
  for (let at = resolve(path); ; at = dirname(at)) {
    if (((await stat(at)).mode & 0o001) === 0) return false;
    if (at === dirname(at)) return true;
  }
}
