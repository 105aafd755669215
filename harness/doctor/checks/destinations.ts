import { link, mkdtemp, rm, statfs, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { assertReportPath } from '../../../evidence/report-file.ts';
import { failed, ok, warning, type Check, type Finding } from '../check.ts';

/** Where a run is to leave what it makes. */
export interface Places {
  readonly report?: string | undefined;
  readonly bundle?: string | undefined;
}

const MIB = 1024 ** 2;
/** Report and bundle come to at most a third of it. What a failed run leaves beside its report has the logs of everything. */
const LEAST_BYTES = 64 * MIB;
const USUAL_BYTES = 256 * MIB;
const LEAST_FILES = 500;
const EXPECTED = `a path that the run takes, where files can be made and linked, with ${USUAL_BYTES / MIB} MiB and ${LEAST_FILES} files free`;
const PRIVATE_PATH = 'give the absolute path of a new file in a folder of your own with mode 0700';
const ANOTHER_DISK = 'make room there, or name a folder on a larger disk';

/** A check of the places that are named; none when none is. */
export function destinations({ report, bundle }: Places): readonly Check[] {
  const named = Object.entries({ report, bundle }).filter((each): each is [string, string] => each[1] !== undefined);
  if (named.length === 0) return [];
  const isOne = report === bundle;
  return [
    {
      name: 'destination',
      substrate: 'both',
      reason: 'report and bundle are written when everything has been done: what cannot be written then costs the whole run',
      examine: async () => await Promise.all(named.map(async ([of, path]) => ({ ...(isOne && of === 'bundle' ? failed(`the same path as that of the report: ${path}`, EXPECTED, 'name two different files') : await judgeDestination(path)), of }))),
    },
  ];
}

export async function judgeDestination(path: string): Promise<Finding> {
  const folder = dirname(path);
  try {
    assertReportPath(path);
    await tryOut(folder);
  } catch (error) {
    const { message } = error as Error;
    const at = message.lastIndexOf('; ');
    return at < 0 ? failed(message, EXPECTED, PRIVATE_PATH) : failed(message.slice(0, at), EXPECTED, message.slice(at + 2));
  }
  const space = await statfs(folder);
  // some file systems have no fixed number of files and say 0
  return judgeRoom(folder, space.bavail * space.bsize, space.files === 0 ? Infinity : space.ffree);
}

/** As a report is written: a name appears by a link, which not every file system has. */
async function tryOut(folder: string): Promise<void> {
  const trial = await mkdtemp(join(folder, '.ql3-doctor-'));
  try {
    await writeFile(join(trial, 'file'), 'x');
    await link(join(trial, 'file'), join(trial, 'linked'));
  } finally {
    await rm(trial, { recursive: true });
  }
}

export function judgeRoom(folder: string, freeBytes: number, freeFiles: number): Finding {
  const found = `${Math.floor(freeBytes / MIB)} MiB and ${freeFiles === Infinity ? 'any number of' : freeFiles} files free in ${folder}`;
  if (freeBytes < LEAST_BYTES || freeFiles < LEAST_FILES) return failed(found, EXPECTED, ANOTHER_DISK);
  return freeBytes < USUAL_BYTES ? warning(found, EXPECTED, ANOTHER_DISK) : ok(found, EXPECTED);
}
