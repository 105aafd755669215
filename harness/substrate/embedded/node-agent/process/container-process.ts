import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import type { ContainerUser } from './container-user.ts';
import type { ProcessGroups } from './group-guard.ts';
import { killMarked } from './marked-processes.ts';

/** Variable that every process of one container run has of its own. */
const MARKER = 'QL3_EMBEDDED_PROCESS';

export interface ProcessSpec {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly user: ContainerUser | null;
  /** File loaded into Node processes first. */
  readonly preload: string;
  /** Where the group is noted while it lives. */
  readonly groups: ProcessGroups;
  readonly stdin?: 'none' | 'pipe';
}

export interface ProcessExit {
  /** 128 + the signal's number when a signal ended it, as container runtimes report. */
  readonly exitCode: number;
  readonly signal: NodeJS.Signals | null;
}

export class ProcessStartError extends Error {
  override readonly name = 'ProcessStartError';
}

/** A process that leads its own process group; the group dies with it, as a container does with its first process. */
export class ContainerProcess {
  readonly pid: number;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly stdin: Writable | null;
  /** Resolves when the process has ended, its group is killed and all output has been read. */
  readonly exit: Promise<ProcessExit>;
  readonly #child: ChildProcess;
  readonly #groups: ProcessGroups;
  readonly #marker: string;

  private constructor(child: ChildProcess & { pid: number }, groups: ProcessGroups, id: string) {
    this.#child = child;
    this.#groups = groups;
    this.#marker = `${MARKER}=${id}`;
    this.pid = child.pid;
    this.stdout = child.stdout as Readable;
    this.stderr = child.stderr as Readable;
    this.stdin = child.stdin;
    this.exit = this.#awaitExit();
  }

  static async start(spec: ProcessSpec): Promise<ContainerProcess> {
    const [name = '', ...args] = spec.command;
    const id = randomUUID();
    const env = { ...(isNodeCommand(name) ? nodeEnvironment(spec) : spec.env), [MARKER]: id };
    const isNode = isNodeCommand(name);
    const child = spawn(isNode ? process.execPath : name, args, {
      cwd: spec.cwd,
      detached: true,
      env,
      stdio: [spec.stdin === 'pipe' ? 'pipe' : 'ignore', 'pipe', 'pipe', 'pipe'],
      ...(spec.user === null || isNode ? {} : { uid: spec.user.uid, gid: spec.user.groups[0] ?? spec.user.gid }),
    });
    child.stdio[3]?.on('error', () => undefined);
    child.stdin?.on('error', () => undefined);
    if (child.pid === undefined) {
      const [error] = (await once(child, 'error')) as [NodeJS.ErrnoException];
      throw new ProcessStartError(`exec: ${JSON.stringify(name)}: ${error.code === 'ENOENT' ? 'executable file not found in $PATH' : error.message}`);
    }
    child.on('error', () => undefined);
    spec.groups.add(child.pid);
    return new ContainerProcess(child as ChildProcess & { pid: number }, spec.groups, id);
  }

  /** To the first process alone, as a container runtime stops a container. */
  signal(signal: NodeJS.Signals): void {
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill(signal);
  }

  /** Ends the whole process group at once; its exit is followed by the end of whatever has left the group. */
  kill(): void {
    try {
      process.kill(-this.pid, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }

  async #awaitExit(): Promise<ProcessExit> {
    const closed = once(this.#child, 'close');
    const [code, signal] = (await once(this.#child, 'exit')) as [number | null, NodeJS.Signals | null];
    this.kill();
    killMarked(this.#marker);
    this.#groups.drop(this.pid);
    this.#child.stdio[3]?.destroy();
    await closed;
    return { exitCode: code ?? 128 + (signal === null ? 0 : constants.signals[signal]), signal };
  }
}

function isNodeCommand(name: string): boolean {
  return name === 'node' || name === process.execPath;
}

function nodeEnvironment(spec: ProcessSpec): Record<string, string> {
  const own = spec.env['NODE_OPTIONS'];
  const { user } = spec;
  return {
    ...spec.env,
    NODE_OPTIONS: `--require=${JSON.stringify(spec.preload)}${own === undefined ? '' : ` ${own}`}`,
    QL3_EMBEDDED_NODE_PIPE: '3',
    ...(user === null ? {} : { QL3_EMBEDDED_RUN_AS: [user.uid, user.gid, ...user.groups].join(',') }),
  };
}
