import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** Whether every user may enter the folder and all folders above it; rejects where one of them is not there. */
export async function isReachableByAll(path: string): Promise<boolean> {
  return (await foldersShutToOthers(path)).length === 0;
}

/** Which of the folder and all folders above it not every user may enter, the highest first; rejects where one of them is not there. */
export async function foldersShutToOthers(path: string): Promise<readonly string[]> {
  const shut: string[] = [];
  for (let at = resolve(path); ; at = dirname(at)) {
    if (((await stat(at)).mode & 0o001) === 0) shut.unshift(at);
    if (at === dirname(at)) return shut;
  }
}
