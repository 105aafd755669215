import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { Socket } from 'node:net';

/** Waits for a word on a pipe. When the pipe closes without one, everybody who used the folder was killed, and the folder goes. */
const GUARD = `
while read -r word; do
  if [ "$word" = done ]; then exit 0; fi
done
tries=0
until rm -rf -- "$1" || [ $tries -ge 100 ]; do tries=$((tries + 1)); sleep 0.1; done 2>/dev/null
`;

/**
 * A tiny shell process that removes the run's folder, and the keys in it, when the harness cannot do so itself any more.
 * The folder is removed when the last holder of `lifeline` has gone, so that nobody still writes into it.
 */
export class RunGuard implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
    this.#child = spawn('/bin/sh', ['-c', GUARD, 'ql3-run-guard', directory], {
      cwd: '/',
      // Its own session: whatever kills the harness's process group must not kill the guard too.
      detached: true,
      env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C' },
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    // Without a shell nothing is guarded; `clean` finds what a killed run has left.
    this.#child.on('error', () => undefined);
    this.lifeline.on('error', () => undefined);
    this.#child.unref();
    this.lifeline.unref();
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** To be inherited by every process that goes on using the folder without this one. */
  get lifeline(): Socket {
    return this.#child.stdin as Socket;
  }

  /** When the folder has been removed, the guard goes without doing anything. A folder that is still there could not be, since somebody writes into it: it is the guard's. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null || this.#child.pid === undefined) return;
    if (existsSync(this.#directory)) return void this.lifeline.end();
    this.#child.ref();
    const exit = once(this.#child, 'exit');
    this.lifeline.end('done\n');
    await exit;
  }
}
