import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Patch } from './tree-lie.ts';

export class PatchError extends Error {
  override readonly name = 'PatchError';
}

/** Replaces each text once; one that is not there, or twice, is an error: a lie that nobody tells proves nothing. */
export function patched(text: string, { file, search, replacement }: Patch): string {
  const found = text.split(search).length - 1;
  if (found !== 1) throw new PatchError(`${file}: expected once, got ${found} times: ${JSON.stringify(search.slice(0, 120))}; the source has moved on, bring the lie after it`);
  return text.replace(search, () => replacement);
}

/** Changes the files of a tree; what is returned puts back what stood there. */
export function applyPatches(tree: string, patches: readonly Patch[]): () => void {
  const originals = new Map<string, string>();
  const restore = (): void => originals.forEach((text, path) => writeFileSync(path, text));
  try {
    for (const patch of patches) {
      const path = join(tree, patch.file);
      const text = readFileSync(path, 'utf8');
      if (!originals.has(path)) originals.set(path, text);
      writeFileSync(path, patched(text, patch));
    }
  } catch (error) {
    restore();
    throw error;
  }
  return restore;
}
