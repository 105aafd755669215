import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { readPrivateText } from '../input/read-file.ts';

const LOG_LIMITS = { leastBytes: 2, mostBytes: 32 * 1_048_576 } as const;
export const LOG_NAME = 'observations.jsonl';

/** The log itself, or the folder that holds it under its name. */
export function readObservationLog(path: string): string {
  const isFolder = lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  return readPrivateText(isFolder ? join(path, LOG_NAME) : path, LOG_LIMITS);
}
