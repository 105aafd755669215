import { createHash } from 'node:crypto';
import { chmod, copyFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { create } from 'tar';
import { filesBelow } from './folder-digest.ts';

/** Every file of a context carries it, so that the context depends on contents alone. */
const EPOCH = new Date('2020-01-01T00:00:00Z');

export interface ImageContext {
  readonly directory: string;
  /** Sorted. */
  readonly files: readonly string[];
}

/** A build context is the bundle's folder with the component's Dockerfile beside it. */
export async function prepareContext(directory: string, dockerfile: string): Promise<ImageContext> {
  await copyFile(dockerfile, join(directory, 'Dockerfile'));
  const files = await filesBelow(directory);
  await openToEverybody(directory, files);
  return { directory, files };
}

/** Modes go into the image, where another user reads the files: the umask of whoever builds must not narrow them. */
async function openToEverybody(directory: string, files: readonly string[]): Promise<void> {
  const folders = new Set(files.flatMap((file) => foldersAbove(file)));
  await Promise.all([...files.map((file) => chmod(join(directory, file), 0o644)), ...[...folders].map((folder) => chmod(join(directory, folder), 0o755))]);
}

function foldersAbove(file: string): string[] {
  const folder = dirname(file);
  return folder === '.' ? [] : [folder, ...foldersAbove(folder)];
}

/** The context as a tar stream: same files, same bytes; no owners, no times, nothing of this machine. */
export function streamContext({ directory, files }: ImageContext): Readable {
  return create({ cwd: directory, portable: true, mtime: EPOCH, noDirRecurse: true, strict: true }, [...files]) as unknown as Readable;
}

/** SHA-256, hex, of the context's tar. */
export async function digestContext(context: ImageContext): Promise<string> {
  const digest = createHash('sha256');
  for await (const chunk of streamContext(context)) digest.update(chunk as Buffer);
  return digest.digest('hex');
}
