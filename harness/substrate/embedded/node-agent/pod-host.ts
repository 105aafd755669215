import type { ApiObject, ExecOptions, LogOptions, NodeBackend, RunningExec } from '../api-server/in-process-api.ts';
import { ApiStatusError } from '../api-server/in-process-api.ts';
import type { Readable } from 'node:stream';
import { hasEnded } from '../controllers/pods/pod-conditions.ts';
import type { Pod, StoredObject } from '../controllers/runtime/objects.ts';
import { openLog } from './logs/open-log.ts';
import type { NodeContext } from './node-context.ts';
import type { ContainerRunner } from './pod/container-runner.ts';
import { PodRunner } from './pod/pod-runner.ts';
import { ProcessStartError } from './process/container-process.ts';

/** All Pods of this node, and what the API server asks about them. */
export class PodHost implements NodeBackend, AsyncDisposable {
  readonly #node: NodeContext;
  readonly #runners = new Map<string, PodRunner>();
  readonly #subscriptions: Disposable[];
  #closed = false;

  constructor(node: NodeContext) {
    this.#node = node;
    const { pods, secrets, configMaps, claims, volumes } = node.caches;
    const wake = ({ object }: { object: StoredObject }): void => this.#sourceChanged(object.metadata.namespace);
    this.#subscriptions = [
      pods.onChange(({ type, object }) => this.#podChanged(type, object)),
      secrets.onChange(wake),
      configMaps.onChange(wake),
      claims.onChange(wake),
      volumes.onChange(wake),
    ];
    for (const pod of pods.all()) this.#podChanged('ADDED', pod);
  }

  async openLog(pod: ApiObject, options: LogOptions): Promise<Readable> {
    const log = this.#containerOf(pod, options.container).log(options.previous);
    if (log !== undefined) return openLog(log, options);
    const { name } = pod.metadata;
    if (options.previous) throw badRequest(`previous terminated container "${options.container}" in pod "${name}" not found`);
    const reason = this.#containerOf(pod, options.container).record.state.waiting?.reason ?? 'ContainerCreating';
    throw badRequest(`container "${options.container}" in pod "${name}" is waiting to start: ${reason}`);
  }

  async exec(pod: ApiObject, options: ExecOptions): Promise<RunningExec> {
    const run = this.#containerOf(pod, options.container).current;
    if (run === null) throw badRequest(`container ${options.container} is not running in pod ${pod.metadata.name}`);
    const command = await run.exec(options.command, options.stdin !== null).catch((error: unknown) => {
      throw error instanceof ProcessStartError ? badRequest(error.message) : error;
    });
    if (command.stdin !== null) options.stdin?.pipe(command.stdin);
    const kill = (): void => command.kill();
    options.signal.addEventListener('abort', kill);
    if (options.signal.aborted) kill();
    const exitCode = command.exit.then((exit) => {
      options.signal.removeEventListener('abort', kill);
      return exit.exitCode;
    });
    return { stdout: command.stdout, stderr: command.stderr, exitCode };
  }

  /** SIGKILL to one running container, by the id in its Pod's status. */
  killContainer(containerId: string): void {
    if (![...this.#runners.values()].some((runner) => runner.killContainer(containerId))) throw new Error(`expected ${containerId} to be a running container of this node`);
  }

  /** Kills everything that runs. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    for (const subscription of this.#subscriptions) subscription[Symbol.dispose]();
    for (const runner of this.#runners.values()) runner.removed();
    await Promise.all([...this.#runners.values()].map((runner) => runner.done));
  }

  #containerOf(pod: ApiObject, name: string): ContainerRunner {
    const runner = this.#runners.get(pod.metadata.uid ?? '');
    const container = runner?.container(name);
    if (container === undefined) throw badRequest(`container ${name} is not valid for pod ${pod.metadata.name}`);
    return container;
  }

  #podChanged(type: 'ADDED' | 'MODIFIED' | 'DELETED', pod: Pod): void {
    if (pod.spec.nodeName !== this.#node.nodeName || this.#closed) return;
    const { uid } = pod.metadata;
    const runner = this.#runners.get(uid);
    if (type === 'DELETED') runner?.removed();
    else if (runner !== undefined) runner.update(pod);
    else if (!hasEnded(pod)) this.#start(pod);
  }

  #start(pod: Pod): void {
    const runner = new PodRunner(this.#node, pod);
    this.#runners.set(pod.metadata.uid, runner);
    void runner.done.finally(() => this.#runners.delete(pod.metadata.uid));
  }

  #sourceChanged(namespace: string | undefined): void {
    for (const runner of this.#runners.values()) {
      if (namespace === undefined || runner.pod.metadata.namespace === namespace) runner.sourceChanged();
    }
  }
}

function badRequest(message: string): ApiStatusError {
  return new ApiStatusError(400, 'BadRequest', message);
}
