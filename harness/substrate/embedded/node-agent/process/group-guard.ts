import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Writable } from 'node:stream';

/**
 * Reads `add GROUP` and `drop GROUP` from a pipe. When the pipe closes without `done`, its owner was killed: every
 * process group that is left is killed, then whatever carries the marker in its environment (a process between its
 * start and its `add`, or one that has left its group), looked for until none is found, and the folders are removed.
 */
const GUARD = `
marker=$1; shift
groups=" "
while read -r verb group; do
  case $verb in
    add) groups="$groups$group " ;;
    drop) groups="\${groups%% $group *} \${groups#* $group }" ;;
    done) exit 0 ;;
  esac
done
for group in $groups; do kill -KILL -- "-$group"; done 2>/dev/null
clean=0
while [ $clean -lt 3 ]; do
  clean=$((clean + 1))
  for environment in $(grep -l -a -F -e "$marker" /proc/[0-9]*/environ); do
    process=\${environment#/proc/}
    kill -KILL "\${process%/environ}" && clean=0
  done
  sleep 0.05
done 2>/dev/null
tries=0
until rm -rf -- "$@" || [ $tries -ge 100 ]; do tries=$((tries + 1)); sleep 0.1; done 2>/dev/null
`;

/** Knows the process groups of this node, and ends them when this process cannot do so itself any more. */
export interface ProcessGroups {
  add(group: number): void;
  drop(group: number): void;
}

export interface GroupGuardOptions {
  /** `NAME=value` as it stands in the environment of every process that is to be found. */
  readonly marker: string;
  /** Removed when this process is killed. */
  readonly folders: readonly string[];
}

/** A tiny shell process that outlives kill -9 of its owner for as long as it takes to clean up after it. */
export class GroupGuard implements ProcessGroups, AsyncDisposable {
  /** Resolves when the guard has ended, which it must not do before it is told to. */
  readonly ended: Promise<void>;
  readonly #child: ChildProcess;
  readonly #orders: Writable;

  constructor(options: GroupGuardOptions) {
    this.#child = spawn('/bin/sh', ['-c', GUARD, 'pod-guard', options.marker, ...options.folders], {
      cwd: '/',
      // Its own session: whatever kills the owner's process group must not kill the guard too.
      detached: true,
      env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C' },
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    this.#orders = this.#child.stdin as Writable;
    this.#orders.on('error', () => undefined);
    this.ended = new Promise((resolve) => this.#child.once('exit', () => resolve()).once('error', () => resolve()));
    this.#child.unref();
    (this.#orders as unknown as { unref(): void }).unref();
  }

  add(group: number): void {
    this.#orders.write(`add ${group}\n`);
  }

  drop(group: number): void {
    this.#orders.write(`drop ${group}\n`);
  }

  /** Everything is cleaned up already: the guard goes without doing anything. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null || this.#child.pid === undefined) return;
    this.#child.ref();
    const exit = once(this.#child, 'exit');
    this.#orders.end('done\n');
    await exit;
  }
}
