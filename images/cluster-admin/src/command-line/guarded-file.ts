import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

export interface FileGuard {
  readonly maxBytes: number;
  /** Permission bits that the file must not have. */
  readonly forbiddenMode: number;
}

/** Not writable by anybody but its owner. */
export const PUBLIC_FILE = 0o022;
/** Moreover not readable by others. The group may read, because that is how Kubernetes shares a Secret with a Pod's fsGroup. */
export const SECRET_FILE = 0o027;

/**
 * Reads a small regular file. Links are followed, because a projected volume
 * consists of them; what counts is the file that was opened.
 */
export function readGuardedFile(path: string, guard: FileGuard): Buffer {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(descriptor);
    if (!stat.isFile()) throw new Error(`${path}: expected a regular file`);
    const forbidden = stat.mode & guard.forbiddenMode;
    if (forbidden !== 0) throw new Error(`${path}: mode ${(stat.mode & 0o777).toString(8)} must not have bits ${forbidden.toString(8)}`);
    if (stat.size > guard.maxBytes) throw new Error(`${path}: expected at most ${guard.maxBytes} bytes, got ${stat.size}`);
    const content = Buffer.alloc(guard.maxBytes + 1);
    const bytes = readSync(descriptor, content, 0, content.byteLength, 0);
    if (bytes > guard.maxBytes) throw new Error(`${path}: expected at most ${guard.maxBytes} bytes`);
    return content.subarray(0, bytes);
  } finally {
    closeSync(descriptor);
  }
}
