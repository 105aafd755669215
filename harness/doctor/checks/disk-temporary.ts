import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { failed, ok, unknown, type Check, type Finding } from '../check.ts';
import { gib, inGib } from '../quantities.ts';

/** PostgreSQL's data and binaries, bundles, volumes and logs come to less than a fifth of it. */
const LEAST_BYTES = gib(1);
const EXPECTED = `${inGib(LEAST_BYTES)} and 10000 files free in TMPDIR`;
const LEAST_FILES = 10_000;

export const diskTemporary: Check = {
  name: 'disk-temporary',
  substrate: 'embedded',
  reason: 'database, volumes and bundles of a rehearsal are kept there until it ends',
  async examine() {
    const folder = tmpdir();
    const space = await statfs(folder).catch(() => null);
    if (space === null) return [unknown(`${folder} cannot be looked at`, EXPECTED)];
    // some file systems have no fixed number of files and say 0
    return [judgeTemporarySpace(folder, space.bavail * space.bsize, space.files === 0 ? Infinity : space.ffree)];
  },
};

export function judgeTemporarySpace(folder: string, freeBytes: number, freeFiles: number): Finding {
  const found = `${inGib(freeBytes)} and ${freeFiles === Infinity ? 'any number of' : freeFiles} files free in ${folder}`;
  return freeBytes >= LEAST_BYTES && freeFiles >= LEAST_FILES ? ok(found, EXPECTED) : failed(found, EXPECTED, 'make room there (`npx ql3-evidence clean` removes what killed runs have left), or set TMPDIR to a folder on a larger disk');
}
