import { readFile, readlink } from 'node:fs/promises';

/**
 * Names one process for as long as this machine runs: a pid alone is reused, and in containers every main process is pid 1,
 * so the pid namespace and the start time (in clock ticks after boot) belong to it. See proc(5).
 */
export interface ProcessIdentity {
  readonly podUid: string | null;
  readonly bootId: string;
  readonly pidNamespace: string;
  readonly pid: number;
  readonly startTime: string;
}

export async function currentProcessIdentity(podUid: string | null): Promise<ProcessIdentity> {
  const [bootId, pidNamespace, start] = await Promise.all([readBootId(), readlink('/proc/self/ns/pid'), readProcess('self')]);
  return { podUid, bootId, pidNamespace, pid: process.pid, startTime: start?.startTime ?? 'unknown' };
}

/**
 * True only when the process cannot be running any more: another boot of the same kernel does not count, since a volume may
 * have moved between machines whose boots we cannot compare.
 */
export async function isProvablyGone(owner: ProcessIdentity, self: ProcessIdentity): Promise<boolean> {
  // Elsewhere /proc shows other processes under the same numbers and proves nothing.
  if (owner.bootId !== self.bootId || owner.pidNamespace !== self.pidNamespace) return false;
  const found = await readProcess(String(owner.pid));
  return found === null || found.startTime !== owner.startTime || found.dead;
}

async function readBootId(): Promise<string> {
  return (await readFile('/proc/sys/kernel/random/boot_id', 'latin1')).trim();
}

async function readProcess(pid: string): Promise<{ startTime: string; dead: boolean } | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => null);
  if (stat === null) return null;
  // The command in parentheses may hold spaces and parentheses itself; what follows the last one is plain.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const state = fields[0];
  return { startTime: fields[19] ?? 'unknown', dead: state === 'Z' || state === 'X' };
}
