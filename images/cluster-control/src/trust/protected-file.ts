import { constants, type FileHandle, open } from 'node:fs/promises';
import path from 'node:path';
import type { Problem } from '../control-error.ts';

export const MAXIMUM_FILE_BYTES = 1024 * 1024;

export type FileSecrecy = 'public' | 'secret';

export type FileReading = { readonly bytes: Buffer; readonly problem?: never } | { readonly problem: Problem };

/**
 * Reads a file that an operator mounted: absolute path, regular file, 1 byte to 1 MiB, and, when it is a secret, not
 * writable by group or others. Links are followed, because Kubernetes projects Secrets through them; every check is
 * made on the opened file, so that it cannot be exchanged in between.
 */
export async function readProtectedFile(subject: string, file: string, secrecy: FileSecrecy): Promise<FileReading> {
  const refuse = (problem: string): FileReading => ({ problem: { subject, problem } });
  if (!path.isAbsolute(file)) return refuse(`expected an absolute path, got ${JSON.stringify(file)}`);
  let handle: FileHandle;
  try {
    // Without O_NONBLOCK a FIFO put in the file's place would block the process for ever.
    handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    return refuse(`cannot be opened at ${file} (${errorCode(error)}); mount it and make it readable`);
  }
  try {
    const status = await handle.stat();
    if (!status.isFile()) return refuse(`expected a regular file at ${file}`);
    if (status.size === 0) return refuse(`the file ${file} is empty`);
    if (status.size > MAXIMUM_FILE_BYTES) return refuse(`${file} has ${status.size} bytes, at most ${MAXIMUM_FILE_BYTES} are accepted`);
    if (secrecy === 'secret' && (status.mode & 0o022) !== 0) {
      return refuse(`${file} has mode 0${(status.mode & 0o777).toString(8)}; it must not be writable by group or others`);
    }
    return { bytes: await readWhole(handle, status.size) };
  } catch (error) {
    return refuse(`cannot be read at ${file} (${errorCode(error)})`);
  } finally {
    await handle.close();
  }
}

/** Reads at most the size that was checked, whatever a writer appends meanwhile. */
async function readWhole(handle: FileHandle, size: number): Promise<Buffer> {
  const bytes = Buffer.alloc(size);
  let filled = 0;
  while (filled < size) {
    const { bytesRead } = await handle.read(bytes, filled, size - filled, filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
}
