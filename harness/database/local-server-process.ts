import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { ServerHome } from './local-server-home.ts';

/**
 * Runs the server under a shell that reads orders from a pipe. When the pipe closes without an order, its owner is gone:
 * the shell ends the server at once and removes its data; whoever watches the pipe must then not be ended for the server's end
 * before it has told why. So neither a crash nor kill -9 of the owner leaves a server.
 */
const GUARD = `
disposable=$1; shift
exec 3<&0
"$@" </dev/null 3<&- &
server=$!
(
  while read -r signal <&3; do kill -"$signal" "$server"; done
  trap "" TERM
  kill -QUIT "$server"
  exit 7
) 2>/dev/null &
watcher=$!
exec 3<&-
wait "$server"; code=$?
kill "$watcher" 2>/dev/null
wait "$watcher" 2>/dev/null
if [ $? -eq 7 ]; then rm -rf "$disposable" 2>/dev/null; fi
exit "$code"
`;

const GRACE_MS = 10_000;

export interface ServerProcess {
  readonly exited: Promise<number | null>;
  /** INT ends sessions and writes a checkpoint; QUIT crashes, so that the next start recovers. */
  end(signal: 'INT' | 'QUIT'): Promise<void>;
}

export function spawnServer(home: ServerHome, settings: readonly string[], logFile: string): ServerProcess {
  const log = openSync(logFile, 'a', 0o600);
  try {
    const postgres = join(home.nativeDirectory, 'bin', 'postgres');
    const child = spawn(
      '/bin/sh',
      ['-c', GUARD, 'postgres-guard', home.disposableDirectory, postgres, '-D', home.dataDirectory, ...settings],
      // Its own process group: Ctrl-C in a terminal is the owner's to handle, in order.
      { stdio: ['pipe', log, log], detached: true, cwd: '/', env: serverEnvironment(), ...home.account },
    );
    return toServerProcess(child);
  } finally {
    closeSync(log);
  }
}

/** Nothing of the owner's environment reaches the server: PG… variables would change it, secrets do not belong there. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
}

function toServerProcess(child: ChildProcess): ServerProcess {
  child.unref();
  const orders = child.stdin!;
  (orders as unknown as { unref(): void }).unref();
  // A broken pipe says what the exit says better.
  orders.on('error', () => undefined);
  const exited = new Promise<number | null>((settle) => {
    child.once('exit', (code) => settle(code));
    child.once('error', () => settle(null));
  });
  return {
    exited,
    async end(signal) {
      if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
      child.ref();
      const gone = once(child, 'exit');
      for (const order of [signal, 'QUIT', 'KILL']) {
        orders.write(`${order}\n`);
        if (await settlesWithin(gone, GRACE_MS)) break;
      }
      await gone;
    },
  };
}

async function settlesWithin(promise: Promise<unknown>, deadlineMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((settle) => (timer = setTimeout(() => settle(false), deadlineMs)));
  try {
    return await Promise.race([promise.then(() => true as const), late]);
  } finally {
    clearTimeout(timer);
  }
}
