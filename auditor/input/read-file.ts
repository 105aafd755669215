import { isAbsolute } from 'node:path';
import { closeSync, constants, fstatSync, openSync, readSync } from './file-system.ts';

export type InputErrorCode = 'INPUT_PATH' | 'INPUT_MISSING' | 'INPUT_LINK' | 'INPUT_NOT_A_FILE' | 'INPUT_SHARED' | 'INPUT_SIZE' | 'INPUT_UNREADABLE' | 'INPUT_ENCODING' | 'INPUT_SYNTAX' | 'INPUT_KEY' | 'INPUT_NOT_EVIDENCE';

/** What was given cannot be read as evidence at all. */
export class InputError extends Error {
  readonly code: InputErrorCode;
  constructor(code: InputErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'InputError';
    this.code = code;
  }
}

export interface SizeLimits {
  readonly leastBytes: number;
  readonly mostBytes: number;
}

/** A private file as UTF-8. */
export function readPrivateText(path: string, limits: SizeLimits): string {
  return decode(path, readPrivateBytes(path, limits));
}

/** Reads a regular file that is no link and that only its owner may write. The rules are asked of the opened file, so that it cannot be changed for another in between. */
export function readPrivateBytes(path: string, limits: SizeLimits): Buffer {
  if (!isAbsolute(path)) throw new InputError('INPUT_PATH', `expected an absolute path, got ${JSON.stringify(path)}`);
  const file = openRegular(path);
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw new InputError('INPUT_NOT_A_FILE', `${path}: expected a regular file`);
    if ((stats.mode & 0o022) !== 0) throw new InputError('INPUT_SHARED', `${path}: expected a file that only its owner may write, got mode ${(stats.mode & 0o777).toString(8)}`);
    if (stats.size < limits.leastBytes || stats.size > limits.mostBytes) throw new InputError('INPUT_SIZE', `${path}: expected ${limits.leastBytes} to ${limits.mostBytes} bytes, got ${stats.size}`);
    return readExactly(file, stats.size);
  } finally {
    closeSync(file);
  }
}

/** No more than the size that was checked, even of a file that grows meanwhile. */
function readExactly(file: number, sizeBytes: number): Buffer {
  const bytes = Buffer.alloc(sizeBytes);
  let taken = 0;
  while (taken < sizeBytes) {
    const got = readSync(file, bytes, taken, sizeBytes - taken, null);
    if (got === 0) break;
    taken += got;
  }
  return bytes.subarray(0, taken);
}

/** O_NONBLOCK: opening a pipe must not wait for its writer. */
function openRegular(path: string): number {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') throw new InputError('INPUT_MISSING', `${path}: there is no such file`, { cause });
    if (code === 'ELOOP' || code === 'EMLINK') throw new InputError('INPUT_LINK', `${path}: expected a file, got a link; name the file itself`, { cause });
    throw new InputError('INPUT_UNREADABLE', `${path}: could not be opened (${code ?? 'unknown reason'})`, { cause });
  }
}

function decode(path: string, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new InputError('INPUT_ENCODING', `${path}: expected UTF-8`, { cause });
  }
}
