import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstat, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ImageError } from './error.ts';

export interface SourceFiles {
  /** SHA-256, hex, by path from the checkout's root; `/` separates. */
  readonly digests: ReadonlyMap<string, string>;
  /** SHA-256 over all of them in the order of their paths. */
  readonly treeDigest: string;
  /** SHA-256 of pnpm-lock.yaml, which fixes every dependency by its integrity. */
  readonly lockFileDigest: string;
}

/** What the images are made from: the product's source and the files that fix its dependencies. */
const SOURCES = ['images', 'package.json', 'pnpm-lock.yaml', 'tsconfig.json'];
const LOCK_FILE = 'pnpm-lock.yaml';

/**
 * Digests of the source, as it lies in the checkout: the files that Git tracks and those it would (ignored ones are no
 * source). For a clean tree these are exactly the files of the commit.
 */
export async function readSourceFiles(directory: string, signal: AbortSignal): Promise<SourceFiles> {
  const paths = await listPaths(directory, signal);
  const entries = await Promise.all(paths.map(async (path) => [path, await digestOf(directory, path)] as const));
  const present = entries.filter((entry): entry is readonly [string, string] => entry[1] !== undefined);
  const digests = new Map(present);
  const lockFileDigest = digests.get(LOCK_FILE);
  if (lockFileDigest === undefined) throw new ImageError('IMAGE_SOURCE_UNREADABLE', `expected ${LOCK_FILE} in ${directory}`);
  const tree = createHash('sha256');
  for (const [path, digest] of present) tree.update(`${digest} ${path}\n`);
  return { digests, treeDigest: tree.digest('hex'), lockFileDigest };
}

async function listPaths(directory: string, signal: AbortSignal): Promise<string[]> {
  const listing = ['-c', `safe.directory=${directory}`, 'ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...SOURCES];
  try {
    const { stdout } = await promisify(execFile)('git', listing, { cwd: directory, signal, maxBuffer: 64 * 1024 * 1024 });
    return [...new Set(stdout.split('\0').filter((path) => path !== ''))].sort();
  } catch (error) {
    signal.throwIfAborted();
    throw new ImageError('IMAGE_SOURCE_UNREADABLE', `expected ${directory} to be a Git checkout; git ls-files failed`, { cause: error });
  }
}

/** Undefined for a tracked file that was deleted: then it is no part of the tree that lies there. */
async function digestOf(directory: string, path: string): Promise<string | undefined> {
  const file = join(directory, path);
  try {
    const { mode } = await lstat(file);
    const isLink = (mode & 0o170000) === 0o120000;
    const content = isLink ? await readlink(file) : await readFile(file);
    return createHash('sha256').update(isLink ? 'link\0' : 'file\0').update(content).digest('hex');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
