import { lstatSync, opendirSync } from 'node:fs';
import { join } from 'node:path';
import { BUNDLE_PATHS, MOST_BUNDLE_BYTES } from '../../evidence/bundle-layout.ts';
import { InputError, readPrivateBytes } from '../input/read-file.ts';
import type { BundleInput } from './bundle-input.ts';

const FOLDERS: readonly string[] = ['', ...new Set(BUNDLE_PATHS.filter((path) => path.includes('/')).map((path) => path.slice(0, path.indexOf('/'))))];

/** Reads the known paths below a folder, each a regular file that is no link; anything beside them is a fault and is not opened. */
export function readFolder(root: string): BundleInput {
  const files = new Map<string, Uint8Array>();
  const faults: string[] = [];
  let leftBytes = MOST_BUNDLE_BYTES;
  for (const folder of FOLDERS) {
    const fault = folderFault(root, folder);
    if (fault !== null) {
      faults.push(fault);
      continue;
    }
    for (const path of BUNDLE_PATHS.filter((each) => (folder === '' ? !each.includes('/') : each.startsWith(`${folder}/`)))) {
      try {
        const bytes = readPrivateBytes(join(root, path), { leastBytes: 0, mostBytes: leftBytes });
        leftBytes -= bytes.length;
        files.set(path, bytes);
      } catch (error) {
        if (!(error instanceof InputError)) throw error;
        // what is missing is told by the manifest's audit
        if (error.code !== 'INPUT_MISSING') faults.push(`${path}: ${error.code}`);
      }
    }
  }
  return { files, faults };
}

/** Why a folder's files are not read, or null. Reading its names ends with the first that is not known. */
function folderFault(root: string, folder: string): string | null {
  const path = join(root, folder);
  const name = folder === '' ? 'the bundle' : folder;
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return null;
  if (!stats.isDirectory()) return `${name}: expected a folder`;
  if ((stats.mode & 0o022) !== 0) return `${name}: expected a folder that only its owner may write`;
  const known = new Set(folder === '' ? [...FOLDERS, ...BUNDLE_PATHS] : BUNDLE_PATHS.map((each) => each.slice(folder.length + 1)));
  const names = opendirSync(path);
  try {
    for (let entry = names.readSync(); entry !== null; entry = names.readSync()) {
      if (!known.has(entry.name)) return `${name}: expected nothing but the files of a bundle, got ${JSON.stringify(entry.name.slice(0, 100))}`;
    }
  } finally {
    names.closeSync();
  }
  return null;
}
