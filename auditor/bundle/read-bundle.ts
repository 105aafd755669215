import { lstatSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { MOST_BUNDLE_BYTES } from '../../evidence/bundle-layout.ts';
import { InputError, readPrivateBytes } from '../input/read-file.ts';
import type { BundleInput } from './bundle-input.ts';
import { readFolder } from './read-folder.ts';
import { readTar } from './read-tar.ts';

/** A bundle as it was handed in: an archive, or a folder with the same files. */
export function readBundle(path: string): BundleInput {
  if (!isAbsolute(path)) throw new InputError('INPUT_PATH', `expected an absolute path, got ${JSON.stringify(path)}`);
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return readFolder(path);
  return readTar(readPrivateBytes(path, { leastBytes: 2, mostBytes: MOST_BUNDLE_BYTES }));
}
