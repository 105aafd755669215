import type Docker from 'dockerode';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { CommandProcess } from '../../../cli/testing/command-process.ts';
import { OWNER_LABEL, RUN_LABEL } from '../run-labels.ts';
import { listRunObjects, type RunObject } from '../run-objects.ts';

const GONE_WITHIN_MS = 30_000;

/** A run of the release path as a process of its own, and what it has made in Docker. */
export class RunInDocker extends CommandProcess {
  readonly #docker: Docker;
  readonly #env: NodeJS.ProcessEnv;

  constructor(docker: Docker, args: readonly string[], options: { readonly program?: string; readonly entrance?: readonly string[]; readonly env?: NodeJS.ProcessEnv } = {}) {
    super(args, { ...options, env: { QL3_WORKER_KUBERNETES_ROLLOUT_LIVE: '1', ...options.env } });
    this.#docker = docker;
    this.#env = options.env ?? {};
  }

  /** What carries the labels of this process. */
  async objects(): Promise<readonly RunObject[]> {
    return (await listRunObjects(this.#docker)).filter(({ labels }) => labels[OWNER_LABEL] === String(this.child.pid));
  }

  async runId(): Promise<string> {
    const id = (await this.objects())[0]?.labels[RUN_LABEL];
    if (id === undefined) throw new Error(`expected something of the run in Docker, got nothing; it said:\n${this.stderr}`);
    return id;
  }

  /** Like `kill -9`: nothing of it can clean up. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended;
  }

  /** What `clean` says of what this run has left. */
  async clean(...args: readonly string[]): Promise<{ readonly code: number | null; readonly answer: { readonly removed: readonly string[]; readonly inUse: readonly string[]; readonly kept: readonly string[]; readonly failures: readonly string[] } }> {
    await using command = new CommandProcess(['clean', '--json', ...args], { env: { ...this.#env, TMPDIR: this.temporary } });
    const { code } = await command.ended;
    return { code, answer: JSON.parse(command.stdout) as never };
  }

  /** Resolves when the run has a container of that kind; Docker's own events say when to look. */
  async hasContainer(suffix: string): Promise<void> {
    const events = (await this.#docker.getEvents({ filters: { type: ['container'], event: ['start'] } })) as Readable;
    void this.ended.then(() => events.destroy());
    const isThere = async (): Promise<boolean> => (await this.objects()).some(({ kind, name }) => kind === 'container' && name.endsWith(suffix));
    try {
      if (await isThere()) return;
      for await (const _ of events) if (await isThere()) return;
    } catch (error) {
      throw new Error(`expected a container ${suffix} of the run; it said:\n${this.stderr}`, { cause: error });
    } finally {
      events.destroy();
    }
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]();
    // a test that failed leaves nothing to the next one
    for (const deadlineAt = performance.now() + GONE_WITHIN_MS; performance.now() < deadlineAt; await delay(500)) {
      const [left] = await this.objects();
      if (left === undefined) return;
      await this.clean(`--run=${left.labels[RUN_LABEL]}`);
    }
  }
}
