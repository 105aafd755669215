import { access, constants, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { failed, ok, warning, type Check, type Finding } from '../check.ts';
import { octal } from '../quantities.ts';

const EXPECTED = 'a folder that this user can write to, and in which nobody else can take what is this user\'s';
const CURE = 'set TMPDIR to a folder of your own: mkdir -m 700 ~/tmp && export TMPDIR=~/tmp';

export const temporaryFolder: Check = {
  name: 'temporary-folder',
  substrate: 'both',
  reason: "the run's keys and kubeconfig lie in a private folder below it",
  async examine() {
    return [await judgeTemporaryFolder(tmpdir())];
  },
};

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
