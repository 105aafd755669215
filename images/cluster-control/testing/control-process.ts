import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { EventStream } from './event-stream.ts';

const ENTRY = fileURLToPath(new URL('../src/control.ts', import.meta.url));

/** The ingress as its image starts it: the entry point with an environment, and nothing inherited. */
export class ControlProcess implements AsyncDisposable {
  readonly events: EventStream;
  readonly failures: EventStream;
  readonly exited: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  readonly #child: ChildProcess;

  constructor(environment: Record<string, string>) {
    const child = spawn(process.execPath, [ENTRY], { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    this.events = new EventStream(child.stdout);
    this.failures = new EventStream(child.stderr);
    this.exited = once(child, 'close').then(([code, signal]) => ({ code, signal }));
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.exited;
  }
}
