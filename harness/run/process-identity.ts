import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { lookAt } from '../cli/bootstrap/process-identity.mjs';

/** Names one process for ever: a pid alone is reused, a start time alone restarts with the machine, and both are other machines' and containers' too. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks since boot (field 22 of /proc/PID/stat, proc(5)); null where there is no /proc. */
  readonly startTicks: string | null;
  readonly bootId: string | null;
  /** In which pid counts (pid_namespaces(7)); null or absent where that is not known. */
  readonly pidNamespace?: string | null;
  /** Digest of what names the machine; absent where that is not known. */
  readonly machine?: string | null;
}

export function identifyProcess(pid: number): ProcessIdentity {
  return { pid, startTicks: lookAt(pid)?.start ?? null, bootId: bootId(), pidNamespace: pidNamespace(), machine: machine() };
}

/**
 * False only when it is certain from here that the very process is gone: it was one of this machine's, of an earlier boot, or of
 * this boot and of processes that can be looked at from here.
 */
export function isAlive(identity: ProcessIdentity): boolean {
  if (isOther(identity.machine, machine())) return true;
  if (identity.bootId !== bootId()) return false;
  if (isOther(identity.pidNamespace, pidNamespace())) return true;
  try {
    process.kill(identity.pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  const seen = lookAt(identity.pid);
  if (seen?.hasEnded === true) return false;
  const ticks = seen?.start ?? null;
  return identity.startTicks === null || ticks === null || ticks === identity.startTicks;
}

function isOther(theirs: string | null | undefined, ours: string | null): boolean {
  return theirs !== null && theirs !== undefined && theirs !== ours;
}

function bootId(): string | null {
  return readIfThere('/proc/sys/kernel/random/boot_id')?.trim() ?? null;
}

function pidNamespace(): string | null {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return null;
  }
}

/** machine-id(5) asks to be kept from others: what is told is a digest of it. */
function machine(): string {
  return createHash('sha256').update(`ql3-rollout-evidence ${readIfThere('/etc/machine-id')?.trim() || hostname()}`).digest('hex').slice(0, 16);
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
