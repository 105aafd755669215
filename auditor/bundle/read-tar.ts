import { BUNDLE_PATHS, MOST_BUNDLE_BYTES } from '../../evidence/bundle-layout.ts';
import { tarHeader } from '../../evidence/tar-header.ts';
import type { BundleInput } from './bundle-input.ts';

const BLOCK_BYTES = 512;
const SIZE_AT = 124;

/**
 * Reads exactly the archives that this project writes, and nothing else that is a tar: the known paths in their order, each
 * behind the one header that such a file can have. So there are no links, devices, folders, sparse files, long names or
 * other owners to be careful with, no path leads out, and no file is larger than the archive. Nothing is written to a disk.
 */
export function readTar(archive: Uint8Array): BundleInput {
  const files = new Map<string, Uint8Array>();
  const refuse = (at: number, expected: string): BundleInput => ({ files, faults: [`archive, byte ${at}: expected ${expected}`] });
  if (archive.length > MOST_BUNDLE_BYTES) return refuse(0, `at most ${MOST_BUNDLE_BYTES} bytes, got ${archive.length}`);
  if (archive[0] === 0x1f && archive[1] === 0x8b) return refuse(0, 'a tar, got gzip: unpack it');
  if (archive.length % BLOCK_BYTES !== 0) return refuse(archive.length, `whole blocks of ${BLOCK_BYTES} bytes`);
  let at = 0;
  let paths = BUNDLE_PATHS;
  while (at < archive.length && archive[at] !== 0) {
    const header = archive.subarray(at, at + BLOCK_BYTES);
    const path = paths.find((each) => startsWith(header, each));
    if (path === undefined) return refuse(at, `${paths.length === 0 ? 'no more' : `one of ${paths.join(', ')}`}, got ${JSON.stringify(textIn(header, 0, 100).split('\0')[0])}`);
    const size = sizeIn(header);
    if (size === null || !isSame(header, tarHeader(path, size))) return refuse(at, `the header of a private regular file ${path} alone`);
    const begin = at + BLOCK_BYTES;
    const end = begin + size;
    const next = begin + Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES;
    if (next > archive.length) return refuse(at, `${path} to be whole`);
    if (!isZero(archive.subarray(end, next))) return refuse(end, `zeros behind ${path}`);
    files.set(path, archive.subarray(begin, end));
    paths = paths.slice(paths.indexOf(path) + 1);
    at = next;
  }
  if (archive.length - at !== 2 * BLOCK_BYTES || !isZero(archive.subarray(at))) return refuse(at, 'two blocks of zeros, then the end');
  return { files, faults: [] };
}

/** The whole name, not only its beginning. */
function startsWith(header: Uint8Array, path: string): boolean {
  return header[path.length] === 0 && isSame(header.subarray(0, path.length), new TextEncoder().encode(path));
}

const textIn = (header: Uint8Array, from: number, to: number): string => new TextDecoder('latin1').decode(header.subarray(from, to));

function sizeIn(header: Uint8Array): number | null {
  const digits = textIn(header, SIZE_AT, SIZE_AT + 10);
  return /^[0-7]{10}$/.test(digits) ? Number.parseInt(digits, 8) : null;
}

function isSame(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, index) => byte === right[index]);
}

function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}
