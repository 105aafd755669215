import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';

/** SHA-256, hex, over the paths and contents of all files below a folder, in the order of their paths. */
export async function digestFolder(directory: string): Promise<string> {
  const digest = createHash('sha256');
  for (const path of await filesBelow(directory)) {
    const content = createHash('sha256').update(await readFile(join(directory, path))).digest('hex');
    digest.update(`${content} ${path}\n`);
  }
  return digest.digest('hex');
}

/** Paths of the files below a folder, with `/`, sorted by code unit. */
export async function filesBelow(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();
}
