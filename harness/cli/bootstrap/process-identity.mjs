/** Which process runs, and whether those that wait for this one still do. Runs on Node 20.19, before anything is installed. */
import { readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';

const PARENT_INTERVAL_MS = 1_000;
const SHELLS = new Set(['sh', 'dash', 'bash', 'zsh', 'ksh', 'ash', 'busybox']);

/**
 * A process as proc(5), /proc/PID/stat, tells it, or null where that cannot be known. One that has ended is kept there until its
 * parent asks how, and whoever adopted it may never do so.
 */
export function lookAt(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // the name, in parentheses, may itself hold spaces and parentheses
    const end = stat.lastIndexOf(')');
    const fields = stat.slice(end + 2).split(' ');
    return { name: stat.slice(stat.indexOf('(') + 1, end), hasEnded: ['Z', 'X'].includes(fields[0]), parent: Number(fields[1]), start: fields[19] };
  } catch {
    return null;
  }
}

/** Which process, for ever: a pid alone is used again. */
export function identityOf(pid) {
  return `${pid} ${lookAt(pid)?.start ?? ''}`;
}

export function isRunning(identity) {
  const pid = Number(identity.split(' ')[0]);
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (error.code !== 'EPERM') return false;
  }
  const seen = lookAt(pid);
  return `${pid} ${seen?.start ?? ''}` === identity && seen?.hasEnded !== true;
}

/** By what it executes: a script that a package manager has put before a program bears the program's name. */
function isShell(pid, { name }) {
  try {
    return SHELLS.has(basename(readlinkSync(`/proc/${pid}/exe`)));
  } catch {
    return SHELLS.has(name);
  }
}

/** The parent; where that is a shell, which a script runner puts between, also whom the shell works for. */
function whoWaits() {
  const waiting = [];
  for (let pid = process.ppid; pid > 1; ) {
    waiting.push(identityOf(pid));
    const seen = lookAt(pid);
    if (seen === null || !isShell(pid, seen)) break;
    pid = seen.parent;
  }
  return waiting;
}

/** A script runner that is killed passes nothing on: `onGone` is called once it, or a shell between, has gone. */
export function watchWhoWaits(onGone) {
  const parent = process.ppid;
  const waiting = whoWaits();
  const looking = setInterval(() => {
    if (process.ppid === parent && waiting.every(isRunning)) return;
    clearInterval(looking);
    onGone();
  }, PARENT_INTERVAL_MS).unref();
}
