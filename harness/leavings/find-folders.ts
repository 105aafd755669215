import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { lookAt } from '../cli/bootstrap/process-identity.mjs';
import { listRunFolders, type RunFolder } from '../run/leavings.ts';
import { findMarked } from '../substrate/embedded/node-agent/process/marked-processes.ts';
import type { Found, Leaving } from './leaving.ts';

const ENDS_WITHIN_MS = 20_000;
const LOOK_EVERY_MS = 10;

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
    remove: () => end(pid),
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

/** What was killed may still write for a moment, and its folder is to go: it is waited for, and only its parent would be told. */
async function end(pid: number): Promise<void> {
  const { start } = lookAt(pid) ?? {};
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    return;
  }
  for (const deadlineAt = performance.now() + ENDS_WITHIN_MS; performance.now() < deadlineAt; await delay(LOOK_EVERY_MS)) {
    const seen = lookAt(pid);
    if (seen === null || seen.hasEnded || seen.start !== start) return;
  }
  throw new Error(`expected process ${pid} to end within ${ENDS_WITHIN_MS} ms after SIGKILL, and it is still there`);
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
