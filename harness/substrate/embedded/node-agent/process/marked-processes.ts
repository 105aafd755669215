import { readdirSync, readFileSync } from 'node:fs';

/**
 * Kills every process that carries `NAME=value` in its environment, also one that has left its process group: what a
 * container's end does to all that runs in it. Returns how many were found. Only Linux shows environments.
 */
export function killMarked(marker: string): number {
  const marked = findMarked(marker);
  for (const pid of marked) kill(pid);
  return marked.length;
}

/** Those processes, other than this one. */
export function findMarked(marker: string): readonly number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid) && Number(pid) !== process.pid && carries(pid, marker))
    .map(Number);
}

function carries(pid: string, marker: string): boolean {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, 'latin1');
    return environment.startsWith(`${marker}\0`) || environment.includes(`\0${marker}\0`);
  } catch {
    // It has ended, or it belongs to somebody else.
    return false;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}
