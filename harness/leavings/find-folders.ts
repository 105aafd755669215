import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { listRunFolders, type RunFolder } from '../run/leavings.ts';
import { findMarked } from '../substrate/embedded/node-agent/process/marked-processes.ts';
import type { Found, Leaving } from './leaving.ts';

/** By owner file; and the processes that still work in a folder whose owner is gone. */
export function findFolders(): Found {
  const folders = listRunFolders();
  return { skipped: null, leavings: folders.flatMap((folder) => [...findProcesses(folder), toLeaving(folder)]) };
}

function toLeaving({ path, runId, createdAt, ownerPid, inUse }: RunFolder): Leaving {
  return { kind: 'folder', name: path, runId, createdAt, ownerPid, inUse, remove: () => rm(path, { recursive: true, force: true, maxRetries: 3 }) };
}

/** Those of a folder in use are its owner's to end. */
function findProcesses(folder: RunFolder): readonly Leaving[] {
  if (folder.inUse) return [];
  const { runId, createdAt, ownerPid } = folder;
  return [...new Set([...(folder.marker === null ? [] : findMarked(folder.marker)), ...findDatabases(folder.path)])].map((pid) => ({
    kind: 'process',
    name: `${pid} (${nameOf(pid)})`,
    runId,
    createdAt,
    ownerPid,
    inUse: false,
    remove: () => Promise.resolve(kill(pid)),
  }));
}

/** Servers whose data lie in the folder, as the first of their arguments says. */
function findDatabases(folder: string): readonly number[] {
  return numbersIn('/proc').filter((pid) => {
    const [program = '', option, data = ''] = readIfThere(`/proc/${pid}/cmdline`).split('\0');
    return basename(program) === 'postgres' && option === '-D' && data.startsWith(`${folder}/`);
  });
}

function numbersIn(folder: string): readonly number[] {
  return existsSync(folder) ? readdirSync(folder).filter((name) => /^\d+$/.test(name)).map(Number) : [];
}

function nameOf(pid: number): string {
  return readIfThere(`/proc/${pid}/comm`).trim() || 'ended';
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
