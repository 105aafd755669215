import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { KubeConfig } from '@kubernetes/client-node';
import { getRaw } from '../../cluster/raw-request.ts';
import { KnownSecrets } from './known-secrets.ts';
import { processesThatName } from './process-traces.ts';

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url));
const RECORDER = new URL('record-secrets.mjs', import.meta.url).href;
const HOLDER = new URL('hold-at.mjs', import.meta.url).href;
const LINE_DEADLINE_MS = 240_000;
const GONE_DEADLINE_MS = 60_000;

export interface CommandEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The built command line as a process of its own, with a temporary folder of its own by which everything that it starts is known. */
export class CommandProcess implements AsyncDisposable {
  readonly temporary: string;
  readonly reportPath: string;
  readonly bundlePath: string;
  readonly child: ChildProcess;
  readonly ended: Promise<CommandEnd>;
  readonly secrets = new KnownSecrets();
  stdout = '';
  stderr = '';
  readonly #base: string;
  readonly #released: string;
  #goneOn = 0;
  readonly #traces = new Map<string, Buffer>();
  #looking: Promise<void> = Promise.resolve();

  /** `program` instead of the command line's own main module; `entrance` goes before all; `args` may use REPORT and BUNDLE for the paths of these; having said one of `holdAt`, it waits for `goOn`. */
  constructor(args: readonly string[], options: { readonly program?: string; readonly entrance?: readonly string[]; readonly umask?: string; readonly env?: NodeJS.ProcessEnv; readonly watchSecrets?: boolean; readonly holdAt?: readonly string[] } = {}) {
    this.#base = mkdtempSync(join(realpathSync(tmpdir()), 'ql3-command-'));
    this.temporary = join(this.#base, 'tmp');
    mkdirSync(this.temporary);
    mkdirSync(join(this.#base, 'out'), { mode: 0o700 });
    // Pods have users of their own, who must get through
    for (const folder of [this.#base, this.temporary]) chmodSync(folder, 0o755);
    this.reportPath = join(this.#base, 'out', 'report.json');
    this.bundlePath = join(this.#base, 'out', 'bundle');
    const recorded = join(this.#base, 'recorded');
    this.#released = join(this.#base, 'released');
    const holding = (options.holdAt ?? []).map((text, index) => ` --import=${HOLDER}?${new URLSearchParams({ text, until: `${this.#released}-${index}` }).toString()}`).join('');
    const command = [...(options.entrance ?? []), process.execPath, options.program ?? MAIN, ...args.map((arg) => arg.replace('REPORT', this.reportPath).replace('BUNDLE', this.bundlePath))];
    this.child = spawn('/bin/sh', ['-c', `umask ${options.umask ?? '022'}; exec "$@"`, 'sh', ...command], {
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
      env: { ...process.env, NODE_OPTIONS: `--import=${RECORDER}?to=${recorded}${holding}`, TMPDIR: this.temporary, ...options.env },
    });
    this.ended = once(this.child, 'close').then((exit) => ({ code: exit[0] as CommandEnd['code'], signal: exit[1] as CommandEnd['signal'] }));
    this.child.stdout?.on('data', (chunk: Buffer) => (this.stdout += chunk.toString()));
    if (this.child.stderr === null) throw new TypeError('expected a piped stderr');
    createInterface({ input: this.child.stderr }).on('line', (line) => {
      this.stderr += `${line}\n`;
      this.child.emit('said', line);
      if (options.watchSecrets === true) this.#looking = this.#looking.then(() => this.#look()).catch(() => undefined);
    });
  }

  /** Resolves when the command has said something that contains the text. All that was said counts: one chunk brings many lines, and only the first of them ends a wait. */
  async said(text: string): Promise<void> {
    const signal = AbortSignal.any([AbortSignal.timeout(LINE_DEADLINE_MS), aborted(this.ended)]);
    while (!this.stderr.includes(text)) {
      await once(this.child, 'said', { signal }).catch(() => {
        throw new Error(`expected the command to say ${JSON.stringify(text)}, it said:\n${this.stderr}`);
      });
    }
  }

  /** After the first text of `holdAt`, then after the next. */
  goOn(): void {
    writeFileSync(`${this.#released}-${this.#goneOn++}`, '');
  }

  /** Its processes, and what they started. */
  processes(): ReturnType<typeof processesThatName> {
    return processesThatName(this.#base);
  }

  processNamed(part: string): number {
    const found = this.processes().find(({ commandLine }) => commandLine.includes(part));
    if (found === undefined) throw new Error(`expected a process with ${part} in its arguments, got\n${this.processes().map(describe).join('\n')}`);
    return found.pid;
  }

  /** The first process with this part in its arguments, as soon as there is one; nothing tells of a process that begins, so it is looked for again and again. */
  async processThatComes(part: string): Promise<number> {
    const deadlineAt = performance.now() + LINE_DEADLINE_MS;
    for (;;) {
      const found = this.processes().find(({ commandLine }) => commandLine.includes(part));
      if (found !== undefined) return found.pid;
      if (performance.now() > deadlineAt || this.child.exitCode !== null) return this.processNamed(part);
      await delay(20);
    }
  }

  /** As `processThatComes`, and stopped there: one that does its work and ends is still there when it is to be killed. */
  async stoppedThatComes(part: string): Promise<number> {
    for (;;) {
      const pid = await this.processThatComes(part);
      try {
        process.kill(pid, 'SIGSTOP');
        return pid;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
    }
  }

  /** The main process of a Pod that is named so: a container's processes have their Pod's name in their environment. */
  processOf(podPrefix: string): number {
    const found = this.processes().find(({ environment }) => environment.includes(`\0HOSTNAME=${podPrefix}`) || environment.subarray(0, 9 + podPrefix.length).includes(`HOSTNAME=${podPrefix}`));
    if (found === undefined) throw new Error(`expected a process of a Pod ${podPrefix}…, got\n${this.processes().map(describe).join('\n')}`);
    return found.pid;
  }

  /** What is left of it: processes, and files in its temporary folder. Gives what was killed a moment to go. */
  async leavings(): Promise<readonly string[]> {
    const deadlineAt = performance.now() + GONE_DEADLINE_MS;
    for (;;) {
      const left = [...this.processes().map(describe), ...readdirSync(this.temporary).filter((name) => !name.startsWith('node-compile-cache'))];
      if (left.length === 0 || performance.now() > deadlineAt) return left;
      await delay(100);
    }
  }

  /** Folders of failures beside the report. */
  get failureDirectory(): string | null {
    const out = join(this.#base, 'out');
    const name = readdirSync(out).find((candidate) => candidate.startsWith('report.json.failure-'));
    return name === undefined ? null : join(out, name);
  }

  /** Everything that it has left to others: its output, its report, its failure folder, its processes' arguments. */
  async outlets(): Promise<ReadonlyMap<string, Buffer>> {
    await this.#looking;
    const outlets = new Map([['stdout', Buffer.from(this.stdout)], ['stderr', Buffer.from(this.stderr)], ...this.#traces]);
    for (const entry of readdirSync(join(this.#base, 'out'), { recursive: true, withFileTypes: true })) {
      if (entry.isFile()) outlets.set(join(entry.parentPath, entry.name), readFileSync(join(entry.parentPath, entry.name)));
    }
    for (const line of readFileSync(join(this.#base, 'recorded'), 'utf8').split('\n').filter(Boolean)) this.secrets.add('drawn at random', Buffer.from(line, 'hex'));
    return outlets;
  }

  /** Files and folders that others than their owner may touch. */
  sharedFiles(): readonly string[] {
    const entries = readdirSync(join(this.#base, 'out'), { recursive: true, withFileTypes: true });
    return entries.map((entry) => join(entry.parentPath, entry.name)).filter((path) => (statSync(path).mode & 0o077) !== 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended;
    await this.leavings();
    rmSync(this.#base, { recursive: true, force: true, maxRetries: 3 });
  }

  /** Takes down what the run's processes show of themselves, and the Secrets that are in the cluster now. */
  async #look(): Promise<void> {
    for (const { pid, commandLine, environment } of this.processes()) {
      this.#traces.set(`arguments of ${pid} ${commandLine.length}`, commandLine);
      this.#traces.set(`environment of ${pid} ${environment.length}`, environment);
    }
    const [run] = readdirSync(this.temporary).filter((name) => name.startsWith('ql3-evidence-'));
    if (run === undefined) return;
    const config = new KubeConfig();
    config.loadFromFile(join(this.temporary, run, 'substrate', 'cluster', 'kubeconfig.yaml'));
    this.secrets.add('administrator’s key', Buffer.from(config.getCurrentUser()?.keyData ?? '', 'base64'));
    const { items } = await getRaw<{ items: { metadata: { name: string }; data?: Record<string, string> }[] }>(config, '/api/v1/secrets');
    for (const { metadata, data = {} } of items) {
      for (const [key, value] of Object.entries(data)) if (value !== '') this.secrets.add(`${metadata.name}/${key}`, Buffer.from(value, 'base64'));
    }
  }
}

function aborted(promise: Promise<unknown>): AbortSignal {
  const controller = new AbortController();
  void promise.then(() => controller.abort());
  return controller.signal;
}

function describe({ pid, commandLine }: ReturnType<typeof processesThatName>[number]): string {
  return `process ${pid}: ${commandLine.toString().replaceAll('\0', ' ').slice(0, 200)}`;
}
