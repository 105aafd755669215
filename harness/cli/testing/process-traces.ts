import { readdirSync, readFileSync } from 'node:fs';

export interface TracedProcess {
  readonly pid: number;
  readonly commandLine: Buffer;
  readonly environment: Buffer;
}

/** Every process whose arguments or environment name the folder, other than this one: a run under test has a temporary folder of its own. */
export function processesThatName(folder: string): readonly TracedProcess[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(Number);
  return pids.flatMap((pid) => {
    if (pid === process.pid) return [];
    try {
      const commandLine = readFileSync(`/proc/${pid}/cmdline`);
      const environment = readFileSync(`/proc/${pid}/environ`);
      return commandLine.includes(folder) || environment.includes(folder) ? [{ pid, commandLine, environment }] : [];
    } catch {
      return []; // it has just ended
    }
  });
}
