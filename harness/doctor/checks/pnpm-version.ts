import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ok, skipped, warning, type Check, type Finding } from '../check.ts';

export const pnpmVersion: Check = {
  name: 'pnpm',
  substrate: 'both',
  reason: 'the lock file is that of one version, and another may read it differently',
  async examine({ source, signal }) {
    const { packageManager } = JSON.parse(await readFile(join((await source()).directory, 'package.json'), 'utf8')) as { packageManager: string };
    try {
      // elsewhere than in the checkout, where pnpm would exchange itself for the version that is asked for
      const { stdout } = await promisify(execFile)('pnpm', ['--version'], { cwd: tmpdir(), signal });
      return [judgePnpm(stdout.trim(), packageManager)];
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      return [skipped(`not on PATH; npm's scripts and \`npx ${packageManager}\` do without`, packageManager)];
    }
  },
};

export function judgePnpm(version: string, packageManager: string): Finding {
  const wanted = packageManager.slice(packageManager.indexOf('@') + 1);
  const found = `pnpm ${version}`;
  return version.split('.')[0] === wanted.split('.')[0] ? ok(found, packageManager) : warning(found, packageManager, `npx ${packageManager} …, or \`corepack enable\``);
}
