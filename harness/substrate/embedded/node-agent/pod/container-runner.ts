import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Container } from '../../controllers/runtime/objects.ts';
import { ContainerConfigError } from '../environment/container-environment.ts';
import type { NodeImage } from '../image-table.ts';
import { ContainerLog } from '../logs/container-log.ts';
import { ContainerProcess, ProcessStartError } from '../process/container-process.ts';
import { BackOff } from './back-off.ts';
import { type ContainerLaunch, prepareLaunch } from './container-launch.ts';
import { containerIdOf, type ContainerRecord } from './container-record.ts';
import { ContainerRun } from './container-run.ts';
import type { PodRuntime } from './pod-runtime.ts';
import { pause, whenAborted } from './termination.ts';

/** What container runtimes report for a process that could not be started. */
const START_ERROR_EXIT_CODE = 128;

/** One container over all its runs: starts it, and starts it again as the Pod's restart policy says. */
export class ContainerRunner {
  readonly record: ContainerRecord;
  readonly #runtime: PodRuntime;
  readonly #container: Container;
  readonly #backOff: BackOff;
  readonly #logs: ContainerLog[] = [];
  #attempt = 0;
  #run: ContainerRun | null = null;

  constructor(runtime: PodRuntime, container: Container, record: ContainerRecord) {
    this.#runtime = runtime;
    this.#container = container;
    this.record = record;
    this.#backOff = new BackOff(runtime.node.timing.restartBackOff);
  }

  /** The newest run's log, or the one before it; undefined when there is none. */
  log(isPrevious: boolean): ContainerLog | undefined {
    return isPrevious ? this.#logs[this.#logs.length - 2] : this.#logs.at(-1);
  }

  /** The run that `kubectl exec` would go to. */
  get current(): ContainerRun | null {
    return this.record.state.running === undefined ? null : this.#run;
  }

  /** Resolves when the container has ended for good, or the Pod has to end. */
  async run(isRestarted: (exitCode: number) => boolean): Promise<void> {
    const { requested } = this.#runtime.termination;
    while (!requested.aborted) {
      const startedAt = performance.now();
      if (!(await this.#runOnce())) return;
      const exitCode = this.record.lastTerminated?.exitCode ?? 0;
      if (requested.aborted || !isRestarted(exitCode)) return;
      await this.#backOffFor(this.#backOff.nextDelayMs(performance.now() - startedAt));
    }
  }

  async #backOffFor(delayMs: number): Promise<void> {
    if (delayMs === 0) return;
    const { pod, termination } = this.#runtime;
    const { name, namespace, uid } = pod.metadata;
    const message = `back-off ${Math.round(delayMs / 1000)}s restarting failed container=${this.#container.name} pod=${name}_${namespace}(${uid})`;
    this.record.waiting('CrashLoopBackOff', message);
    this.#event('Warning', 'BackOff', `Back-off restarting failed container ${this.#container.name} in pod ${name}_${namespace}(${uid})`);
    await pause(delayMs, termination.requested);
  }

  /** False when the Pod had to end before the container could be started. */
  async #runOnce(): Promise<boolean> {
    const image = await this.#awaitImage();
    const launch = image === null ? null : await this.#awaitLaunch(image);
    if (image === null || launch === null) return false;
    const attempt = this.#attempt;
    this.#attempt += 1;
    const containerId = containerIdOf(this.#runtime.pod.metadata.uid, this.#container.name, attempt);
    const { startupProbe, readinessProbe } = this.#container;
    const isStarted = startupProbe === undefined;
    try {
      const log = await this.#openLog(attempt);
      const process = await ContainerProcess.start(launch.process);
      this.#run = new ContainerRun(this.#runtime, this.#container, launch, process, log);
      this.record.started(image.imageId, containerId, isStarted, isStarted && readinessProbe === undefined);
      this.#event('Normal', 'Started', `Started container ${this.#container.name}`);
    } catch (error) {
      this.#failToStart(error, image, containerId);
      return true;
    }
    await this.#run.finish(this.record);
    return true;
  }

  #failToStart(error: unknown, image: NodeImage, containerId: string): void {
    if (!(error instanceof ProcessStartError)) throw error;
    this.#logs.at(-1)?.end();
    this.record.started(image.imageId, containerId, false, false);
    this.record.terminated({ exitCode: START_ERROR_EXIT_CODE, reason: 'StartError', message: error.message });
    this.#event('Warning', 'Failed', `Error: ${error.message}`);
  }

  async #awaitImage(): Promise<NodeImage | null> {
    const { images } = this.#runtime.node;
    const { requested } = this.#runtime.termination;
    const name = this.#container.image ?? '';
    while (!requested.aborted) {
      const changed = images.changed();
      const image = images.find(name);
      if (image !== undefined) return image;
      const message = `Container image "${name}" is not present with pull policy of Never`;
      this.record.waiting('ErrImageNeverPull', message);
      this.#event('Warning', 'ErrImageNeverPull', message);
      await Promise.race([changed, whenAborted(requested)]);
    }
    return null;
  }

  async #awaitLaunch(image: NodeImage): Promise<ContainerLaunch | null> {
    const { requested } = this.#runtime.termination;
    while (!requested.aborted) {
      const changed = this.#runtime.sourcesChanged();
      try {
        return await prepareLaunch(this.#runtime, this.#container, image, this.#attempt);
      } catch (error) {
        if (!(error instanceof ContainerConfigError)) throw error;
        this.record.waiting('CreateContainerConfigError', error.message);
        this.#event('Warning', 'Failed', `Error: ${error.message}`);
      }
      await Promise.race([changed, whenAborted(requested)]);
    }
    return null;
  }

  /** The logs of the last two runs are kept. */
  async #openLog(attempt: number): Promise<ContainerLog> {
    const directory = join(this.#runtime.directory, 'logs', this.#container.name);
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const log = new ContainerLog(join(directory, `${attempt}.log`));
    this.#logs.push(log);
    if (this.#logs.length > 2) await rm(this.#logs.shift()?.path ?? '', { force: true });
    return log;
  }

  #event(type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#runtime.node.events.record(this.#runtime.pod, { type, reason, message, fieldPath: `spec.containers{${this.#container.name}}` });
  }
}
