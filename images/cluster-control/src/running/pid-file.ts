import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { ControlError } from '../control-error.ts';

/** Leaves this process's pid where `reload` finds it. The file is private to this user and is removed when disposed. */
export function writePidFile(path: string | null): Disposable {
  if (path !== null) writeFileSync(path, `${process.pid}\n`, { mode: 0o600 });
  return { [Symbol.dispose]: () => (path === null ? undefined : rmSync(path, { force: true })) };
}

export function readPidFile(path: string): number {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw notRunning('expected the pid of a running Cluster Control, the file cannot be read: start it with this variable', { cause });
  }
  const pid = Number(text.trim());
  if (!Number.isSafeInteger(pid) || pid < 1) throw notRunning('expected a pid in the file');
  return pid;
}

function notRunning(problem: string, options?: ErrorOptions): ControlError {
  return new ControlError('QL3_CLUSTER_CONTROL_NOT_RUNNING', [{ subject: 'QL3_CLUSTER_CONTROL_PID_FILE', problem }], options);
}
