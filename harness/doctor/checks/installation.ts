import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ok, warning, type Check, type Finding } from '../check.ts';

const EXPECTED = 'the dependencies of this lock file, installed';
const ANSWER_WITHIN_MS = 2_500;

export const installation: Check = {
  name: 'installation',
  substrate: 'both',
  reason: 'the lock file says which code takes part, and the evidence names its digest',
  async examine({ source }) {
    const { directory } = await source();
    const [lock, stamp] = await Promise.all([readFile(join(directory, 'pnpm-lock.yaml')), readFile(join(directory, 'node_modules', '.ql3-installed'), 'utf8').catch(() => null)]);
    const isCurrent = stamp === createHash('sha256').update(lock).digest('hex');
    return [judgeInstallation(isCurrent, stamp !== null, isCurrent ? null : await reachRegistry())];
  },
};

async function reachRegistry(): Promise<string | null> {
  try {
    const { stdout: registry } = await promisify(execFile)('npm', ['config', 'get', 'registry']);
    await fetch(registry.trim(), { method: 'HEAD', signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
    return null;
  } catch (error) {
    return ((error as Error).cause as Error | undefined)?.message ?? (error as Error).message;
  }
}

/** `unreachable` says why the registry that npm is to use does not answer; it is not asked when nothing is needed of it. */
export function judgeInstallation(isCurrent: boolean, isThere: boolean, unreachable: string | null): Finding {
  if (isCurrent) return ok('the dependencies are those of pnpm-lock.yaml', EXPECTED);
  const found = isThere ? 'the dependencies are those of another lock file' : 'the dependencies were not installed by this program';
  return unreachable === null
    ? warning(found, EXPECTED, 'nothing: the next `npx ql3-evidence doctor` installs them')
    : warning(`${found}, and the npm registry does not answer: ${unreachable}`, EXPECTED, 'connect, or set the registry that npm is to use: npm config set registry URL');
}
