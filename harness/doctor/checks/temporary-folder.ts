import { access, constants, mkdtemp, realpath, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { foldersShutToOthers } from '../../run/reachable-by-all.ts';
import { failed, ok, warning, type Check, type Finding } from '../check.ts';
import { octal } from '../quantities.ts';

const EXPECTED = 'a folder that this user can write to, and in which nobody else can take what is this user\'s';
const EXPECTED_OF_ROOT = 'a folder that other users may enter, and so every folder above it: root starts each Pod as the user that it asks for';
const FOR_ROOT = 'set TMPDIR to a folder that others may enter: mkdir -m 711 /var/tmp/ql3 && export TMPDIR=/var/tmp/ql3';
const IS_ROOT = process.getuid?.() === 0;
const CURE = IS_ROOT ? FOR_ROOT : 'set TMPDIR to a folder of your own: mkdir -m 700 ~/tmp && export TMPDIR=~/tmp';

export const temporaryFolder: Check = {
  name: 'temporary-folder',
  substrate: 'both',
  reason: "the run's keys and kubeconfig lie in a private folder below it",
  async examine() {
    if ((await stat(tmpdir()).catch(() => null))?.isDirectory() !== true) return [failed(`TMPDIR names ${tmpdir()}, which is no folder`, EXPECTED, CURE)];
    const shut = IS_ROOT ? await judgeEntrance(tmpdir()) : null;
    const finding = await judgeTemporaryFolder(tmpdir());
    // in Docker nobody looks from outside
    return shut === null ? [finding] : [{ ...shut, substrate: 'embedded' }, { ...finding, substrate: 'k3s' }];
  },
};

/** Of root's temporary folder, whether Pods can enter it; null when they can, or when there is no such folder. */
export async function judgeEntrance(folder: string): Promise<Finding | null> {
  const shut = await realpath(folder).then(foldersShutToOthers).catch(() => []);
  return shut.length === 0 ? null : failed(`others may not enter ${shut.join(', nor ')}`, EXPECTED_OF_ROOT, `chmod o+x ${shut.join(' ')}, or ${FOR_ROOT}`);
}

export async function judgeTemporaryFolder(folder: string): Promise<Finding> {
  try {
    const { mode, uid } = await stat(folder);
    await access(folder, constants.W_OK | constants.X_OK);
    await rm(await mkdtemp(join(folder, 'ql3-doctor-')), { recursive: true });
    const found = `${folder}, mode ${octal(mode)}, owner ${uid}`;
    // without the sticky bit whoever may write may also rename what others have made
    if ((mode & 0o022) !== 0 && (mode & 0o1000) === 0) return failed(`${found}: others may replace what is in it`, EXPECTED, `chmod +t ${folder}, or ${CURE}`);
    if (uid !== 0 && uid !== process.getuid?.()) return warning(`${found}: it belongs to another user`, EXPECTED, CURE);
    return ok(found, EXPECTED);
  } catch (error) {
    return failed(`${folder}: ${(error as Error).message}`, EXPECTED, CURE);
  }
}
