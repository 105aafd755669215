import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ok, skipped, type Check } from '../check.ts';

const EXPECTED = 'any kubectl, for people; no run needs one';

export const kubectl: Check = {
  name: 'kubectl',
  substrate: 'both',
  reason: 'to look at the cluster of a failed run that was kept (--keep=on-failure)',
  async examine({ signal }) {
    try {
      const { stdout } = await promisify(execFile)('kubectl', ['version', '--client', '--output=json'], { signal });
      const { clientVersion } = JSON.parse(stdout) as { clientVersion: { gitVersion: string } };
      return [ok(clientVersion.gitVersion, EXPECTED)];
    } catch (error) {
      const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
      return [skipped(isMissing ? 'not on PATH' : `kubectl does not tell its version: ${(error as Error).message.split('\n')[0]}`, EXPECTED)];
    }
  },
};
