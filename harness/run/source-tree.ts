import { execa } from 'execa';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SourceTree } from '../substrate/substrate.ts';
import { HarnessError } from './errors.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Which source this checkout is at. A checkout without Git history cannot say where its images come from, and is refused. */
export async function readSourceTree(signal: AbortSignal): Promise<SourceTree> {
  const git = async (...args: string[]): Promise<string> => {
    try {
      const { stdout } = await execa('git', ['-c', `safe.directory=${root}`, ...args], { cwd: root, cancelSignal: signal, stdin: 'ignore' });
      return stdout;
    } catch (error) {
      signal.throwIfAborted();
      throw new HarnessError(
        'QL3_ENVIRONMENT',
        `expected a Git checkout at the repository's root, so that the report can name its source revision; \`git ${args.join(' ')}\` failed: install git and run from a clone`,
        { cause: error },
      );
    }
  };
  const [revision, status] = await Promise.all([git('rev-parse', 'HEAD'), git('status', '--porcelain=v1', '--untracked-files=normal')]);
  if (!/^[0-9a-f]{40}$/.test(revision)) {
    throw new HarnessError('QL3_ENVIRONMENT', `expected a SHA-1 commit id of 40 hex characters from git rev-parse HEAD, got ${JSON.stringify(revision.slice(0, 80))}`);
  }
  return { directory: root, revision, clean: status === '' };
}
