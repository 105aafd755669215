import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { Recorder } from './recorder.ts';

export type EventLine = Readonly<Record<string, unknown>> & { readonly event: string };

/** One entry point as a real process, its JSON lines recorded. Disposing kills it. */
export class EntryPoint implements AsyncDisposable {
  readonly events = new Recorder<EventLine>();
  readonly output: string[] = [];
  readonly exit: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  readonly #child: ChildProcess;

  constructor(file: 'worker.ts' | 'init.ts' | 'actor.ts', args: readonly string[], environment: Readonly<Record<string, string>>, options: { uid?: number; gid?: number } = {}) {
    const path = fileURLToPath(new URL(`../src/${file}`, import.meta.url));
    this.#child = spawn(process.execPath, [path, ...args], { env: { PATH: process.env['PATH'] ?? '', ...environment }, stdio: ['ignore', 'pipe', 'pipe'], ...options });
    const closed = Promise.withResolvers<{ code: number | null; signal: NodeJS.Signals | null }>();
    this.exit = closed.promise;
    this.#child.once('close', (code, signal) => closed.resolve({ code, signal }));
    for (const stream of [this.#child.stdout, this.#child.stderr]) if (stream !== null) createInterface(stream).on('line', (line) => this.#take(line));
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async event(name: string, fields: Readonly<Record<string, unknown>> = {}, options: { from?: number; deadlineMs?: number } = {}): Promise<EventLine> {
    const matches = (line: EventLine): boolean => line.event === name && Object.entries(fields).every(([key, value]) => line[key] === value);
    const ended = this.exit.then(({ code, signal }) => {
      const found = this.events.all.slice(options.from ?? 0).find(matches);
      if (found !== undefined) return found;
      throw new Error(`ended (${code ?? signal}) without ${name} ${JSON.stringify(fields)}; said: ${this.output.slice(-8).join('\n')}`);
    });
    ended.catch(() => {});
    return await Promise.race([this.events.waitFor(`${name} ${JSON.stringify(fields)}`, matches, options), ended]);
  }

  async exitCode(deadlineMs = 60_000): Promise<number | null> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new Error(`still running after ${deadlineMs} ms; said: ${this.output.slice(-8).join('\n')}`)), deadlineMs);
    try {
      return (await Promise.race([this.exit, late.promise])).code;
    } finally {
      clearTimeout(timer);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.exit;
  }

  #take(line: string): void {
    this.output.push(line);
    if (line.startsWith('{')) this.events.add(JSON.parse(line) as EventLine);
  }
}
