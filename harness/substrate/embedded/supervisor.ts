import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { NodeImage } from './node-agent/image-table.ts';
import { SupervisorError } from './supervisor-error.ts';
import type { FromSupervisor, Order, SupervisorFacts, SupervisorOptions, ToSupervisor } from './supervisor-protocol.ts';

export { SupervisorError };
export type { SupervisorFacts, SupervisorOptions };

const START_DEADLINE_MS = 60_000;
const STOP_DEADLINE_MS = 30_000;
const KEPT_LINES = 50;
/** What a long run may say at most before the beginning of it is let go. */
const KEPT_LOG_LINES = 20_000;

export interface SupervisorExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The last lines it wrote. */
  readonly lastLines: readonly string[];
}

/** A running embedded cluster with its database, in a process of its own. */
export class Supervisor implements AsyncDisposable {
  readonly facts: SupervisorFacts;
  /** Resolves when the process has ended, however that came. */
  readonly exited: Promise<SupervisorExit>;
  /** Resolves with its exit code when PostgreSQL has ended though nobody ordered it. */
  readonly databaseLost: Promise<number | null>;
  readonly #process: SupervisorProcess;

  constructor(supervisorProcess: SupervisorProcess, facts: SupervisorFacts) {
    this.#process = supervisorProcess;
    this.facts = facts;
    this.exited = supervisorProcess.exited;
    this.databaseLost = supervisorProcess.databaseLost;
  }

  get pid(): number {
    return this.#process.pid;
  }

  /** The last lines it wrote, so far. */
  get lastLines(): readonly string[] {
    return this.#process.lastLines;
  }

  /** Everything that it wrote, so far; of very much the end. */
  get log(): string {
    return this.#process.log.map((line) => `${line}\n`).join('');
  }

  /** Pods that wait for one of these images start. */
  async registerImages(images: Readonly<Record<string, NodeImage>>): Promise<void> {
    await this.#process.order({ type: 'register-images', images });
  }

  /** SIGKILL to one running container, by the id in its Pod's status. */
  async killContainer(containerId: string): Promise<void> {
    await this.#process.order({ type: 'kill-container', containerId });
  }

  /** The database goes away; its data stay. */
  async interruptPostgres(how: 'crash' | 'shutdown'): Promise<void> {
    await this.#process.order({ type: 'interrupt-postgres', how });
  }

  async resumePostgres(): Promise<void> {
    await this.#process.order({ type: 'resume-postgres' });
  }

  /** Ends Pods, database and process, and removes the folder. May be called again, and after the process has ended. */
  async stop(): Promise<SupervisorExit> {
    return this.#process.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

/** Resolves when everything runs. Aborting the signal while it starts ends it; later, stop() does. The process holds `lifeline` open for as long as it lives. */
export async function startSupervisor(options: SupervisorOptions, signal?: AbortSignal, lifeline?: Socket): Promise<Supervisor> {
  signal?.throwIfAborted();
  const supervisorProcess = new SupervisorProcess(lifeline);
  try {
    return new Supervisor(supervisorProcess, await supervisorProcess.start(options, signal));
  } catch (error) {
    await supervisorProcess.stop();
    throw error;
  }
}

class SupervisorProcess {
  readonly pid: number;
  readonly log: string[] = [];
  readonly exited: Promise<SupervisorExit>;
  readonly #lost = Promise.withResolvers<number | null>();
  readonly #child: ChildProcess;
  readonly #pending = new Map<number, PromiseWithResolvers<void>>();
  readonly #started = Promise.withResolvers<SupervisorFacts>();
  #lastOrder = 0;

  constructor(lifeline: Socket | undefined) {
    this.#child = fork(fileURLToPath(new URL('./main.ts', import.meta.url)), [], {
      // Its own session: Ctrl-C in a terminal is for the harness, which then ends the cluster in order.
      detached: true,
      execArgv: ['--disable-warning=ExperimentalWarning'],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc', ...(lifeline === undefined ? [] : [lifeline])],
    });
    this.pid = this.#child.pid ?? 0;
    this.#child.on('message', (message: FromSupervisor) => this.#receive(message));
    this.#child.on('error', (error) => this.#keep(error.message));
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      if (stream !== null) createInterface({ input: stream }).on('line', (line) => this.#keep(line));
    }
    this.exited = this.#awaitExit();
    this.#started.promise.catch(() => undefined);
  }

  get databaseLost(): Promise<number | null> {
    return this.#lost.promise;
  }

  async start(options: SupervisorOptions, signal?: AbortSignal): Promise<SupervisorFacts> {
    const fail = (why: string): void => this.#started.reject(this.#error('QL3_EMBEDDED_SUPERVISOR_START_FAILED', why));
    const timer = setTimeout(() => fail(`expected the embedded cluster within ${START_DEADLINE_MS} ms, it is still starting`), START_DEADLINE_MS);
    const abort = (): void => this.#started.reject(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    this.#send({ type: 'start', options });
    try {
      return await this.#started.promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
  }

  async order(order: Order): Promise<void> {
    this.#lastOrder += 1;
    const answer = Promise.withResolvers<void>();
    this.#pending.set(this.#lastOrder, answer);
    this.#send({ type: 'order', id: this.#lastOrder, order });
    await answer.promise;
  }

  async stop(): Promise<SupervisorExit> {
    this.#send({ type: 'stop' });
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), STOP_DEADLINE_MS);
    try {
      return await this.exited;
    } finally {
      clearTimeout(timer);
    }
  }

  #send(message: ToSupervisor): void {
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }

  #receive(message: FromSupervisor): void {
    if (message.type === 'ready') this.#started.resolve(message.facts);
    else if (message.type === 'database-lost') this.#lost.resolve(message.code);
    else if (message.type === 'failed') this.#started.reject(new SupervisorError('QL3_EMBEDDED_SUPERVISOR_START_FAILED', message.message));
    else this.#answer(message.id, message.error);
  }

  #answer(id: number, error: string | null): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (error === null) pending?.resolve();
    else pending?.reject(new SupervisorError('QL3_EMBEDDED_SUPERVISOR_ORDER_FAILED', error));
  }

  async #awaitExit(): Promise<SupervisorExit> {
    const [code, signal] = (await once(this.#child, 'close').catch(() => [null, null])) as [number | null, NodeJS.Signals | null];
    const error = this.#error('QL3_EMBEDDED_SUPERVISOR_EXITED', `the embedded cluster's process has ended (code ${code}, signal ${signal})`);
    this.#started.reject(error);
    for (const pending of this.#pending.values()) pending.reject(error);
    this.#pending.clear();
    return { code, signal, lastLines: [...this.lastLines] };
  }

  get lastLines(): readonly string[] {
    return this.log.slice(-KEPT_LINES);
  }

  #keep(line: string): void {
    this.log.push(line);
    if (this.log.length > KEPT_LOG_LINES) this.log.shift();
  }

  #error(code: 'QL3_EMBEDDED_SUPERVISOR_START_FAILED' | 'QL3_EMBEDDED_SUPERVISOR_EXITED', why: string): SupervisorError {
    const said = this.lastLines.length === 0 ? '' : `; its last lines:\n${this.lastLines.join('\n')}`;
    return new SupervisorError(code, `${why}${said}`);
  }
}
