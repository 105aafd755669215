import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { HarnessError } from './errors.ts';

const KIB = 1024;
/** With less, a log does not take its next lines. */
const LEAST_BYTES = 64 * KIB;

/** System errors of a folder that takes nothing more, and what PostgreSQL calls the same (manual, appendix A: disk_full). */
const CODES: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EROFS', '53100']);
/** As the last lines of a process have it that died of it. */
const IN_WORDS = /\bENOSPC\b|no space left on device/i;

export interface Room {
  readonly freeBytes: number;
  readonly bytes: number;
  /** Null where the file system has no fixed number of them. */
  readonly freeFiles: number | null;
}

/**
 * An error that came of a folder which takes nothing more, as what it means for who started the command: with a code, the folder,
 * what is free there, and what to do; it stays the cause. A write to an open file names no path, and a process that dies of a full
 * disk leaves no system error: then it is the first of `folders`, which are those that are written to, that is full, or the first
 * where everything that the run consists of writes there. Other errors come back as they are.
 */
export function toldAsFullDisk(error: unknown, folders: readonly string[], { isAllHere = true, roomIn = lookAt }: { /** Without Docker, whose disk is another. */ readonly isAllHere?: boolean; readonly roomIn?: (folder: string) => Room | null } = {}): unknown {
  const found = culpritOf(error);
  if ((found.code === null && !found.isInWords) || found.isTold) return error;
  const folder = found.folder ?? folders.find((each) => isFull(roomIn(each))) ?? (isAllHere || isOfSystem(found.code) ? folders[0] : undefined);
  if (folder === undefined) return error;
  return new HarnessError('QL3_ENVIRONMENT', `expected ${folder} to take what is written there, it ${stateOf(found.code, roomIn(folder))}; ${cureFor(folder)}`, { cause: error });
}

interface Culprit {
  readonly code: string | null;
  readonly folder: string | null;
  readonly isInWords: boolean;
  /** By a check that has named the folder already. */
  readonly isTold: boolean;
}

function culpritOf(error: unknown): Culprit {
  const seen = new Set<unknown>();
  let [folder, isInWords, isTold]: [string | null, boolean, boolean] = [null, false, false];
  for (let current = error; typeof current === 'object' && current !== null && !seen.has(current); current = (current as { cause?: unknown }).cause) {
    seen.add(current);
    const { code, path, dest, message } = current as { code?: unknown; path?: unknown; dest?: unknown; message?: unknown };
    const written = typeof dest === 'string' ? dest : path;
    if (typeof written === 'string') folder = dirname(written);
    isInWords ||= typeof message === 'string' && IN_WORDS.test(message);
    isTold ||= current instanceof HarnessError && current.code === 'QL3_ENVIRONMENT';
    if (CODES.has(code)) return { code: code as string, folder, isInWords, isTold };
  }
  return { code: null, folder: null, isInWords, isTold };
}

/** PostgreSQL's own code is of wherever that runs. */
function isOfSystem(code: string | null): boolean {
  return code !== null && code.startsWith('E');
}

function isFull(room: Room | null): boolean {
  return room !== null && (room.freeBytes < LEAST_BYTES || room.freeFiles === 0);
}

function stateOf(code: string | null, room: Room | null): string {
  if (code === 'EROFS') return 'is mounted read-only';
  const free = room === null ? '' : `: ${inWords(room.freeBytes)} of ${inWords(room.bytes)} are free${isFull(room) ? '' : ' by now'}`;
  if (code === 'EDQUOT') return `was at its quota for this user${free}`;
  return room?.freeFiles === 0 && room.freeBytes >= LEAST_BYTES ? `had no file left${free}, and no file` : `was full${free}`;
}

function cureFor(folder: string): string {
  const isTemporary = `${folder}/`.startsWith(`${tmpdir()}/`);
  return `make room there (\`npx ql3-evidence clean\` removes what killed runs have left), or ${isTemporary ? 'set TMPDIR to a folder on another disk' : 'write to a folder on another disk'}`;
}

function inWords(bytes: number): string {
  const units = ['KiB', 'MiB', 'GiB'];
  const power = Math.min(units.length, Math.max(1, Math.floor(Math.log2(Math.max(1, bytes)) / 10)));
  return bytes < KIB ? `${bytes} bytes` : `${(bytes / KIB ** power).toFixed(1)} ${units[power - 1]}`;
}

/** What this user may still write; null where nobody can tell, as of a folder that is gone. */
function lookAt(folder: string): Room | null {
  try {
    const { bsize, blocks, bavail, files, ffree } = statfsSync(folder);
    return { freeBytes: bavail * bsize, bytes: blocks * bsize, freeFiles: files === 0 ? null : ffree };
  } catch {
    return null;
  }
}
