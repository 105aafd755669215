import { execa } from 'execa';
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeOwnerFile } from '../run/owner-file.ts';

/** The tree that this program belongs to. */
export const ROOT: string = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** A private folder with copies of the committed tree, each with a history of its own so that it can name its revision. */
export class Workshop implements Disposable {
  readonly directory: string;

  constructor() {
    this.directory = mkdtempSync(join(realpathSync(tmpdir()), 'ql3-sabotage-'));
    writeOwnerFile(this.directory, { runId: null });
  }

  /**
   * Clones HEAD: what is not committed is nobody's revision. Dependencies are the same files under second names; what others keep
   * beside them, like the compiled code that every process adds to when it ends, comes and goes while it is copied and stays behind.
   */
  async copyTree(name: string, signal: AbortSignal): Promise<string> {
    const tree = join(this.directory, name, 'tree');
    mkdirSync(dirname(tree), { mode: 0o700 });
    const options = { cancelSignal: signal, stdin: 'ignore' } as const;
    await execa('git', ['-c', `safe.directory=${ROOT}`, 'clone', '--quiet', '--local', ROOT, tree], options);
    const [from, to] = [join(ROOT, 'node_modules'), join(tree, 'node_modules')];
    mkdirSync(to);
    await execa('cp', ['-al', '-t', to, ...readdirSync(from).filter((entry) => entry !== '.cache').map((entry) => join(from, entry))], options);
    return tree;
  }

  /** A new folder for one run's files. */
  folder(...names: readonly string[]): string {
    const path = join(this.directory, ...names);
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return path;
  }

  [Symbol.dispose](): void {
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 3 });
  }
}
