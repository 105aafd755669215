import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PODS } from '../../controllers/runtime/kinds.ts';
import type { Container, Pod } from '../../controllers/runtime/objects.ts';
import { now } from '../../controllers/runtime/timestamps.ts';
import type { NodeContext } from '../node-context.ts';
import { PodVolumes } from '../volumes/pod-volumes.ts';
import { VolumeNotReadyError } from '../volumes/volume-error.ts';
import { ContainerRecord } from './container-record.ts';
import { ContainerRunner } from './container-runner.ts';
import type { PodRuntime } from './pod-runtime.ts';
import { type PodFailure, podStatus } from './pod-status.ts';
import { StatusWriter } from './status-writer.ts';
import { pause, Termination, whenAborted } from './termination.ts';

const EVICTION_GRACE_MS = 1000;
const MOUNT_RETRY_MS = 2000;

/** One Pod on this node, from its binding until nothing of it is left. */
export class PodRunner implements PodRuntime {
  readonly node: NodeContext;
  readonly directory: string;
  readonly podIp: string;
  readonly volumes: PodVolumes;
  readonly termination = new Termination();
  /** Resolves when no process of the Pod runs and, if the Pod was being deleted, its folder is gone too. */
  readonly done: Promise<void>;
  readonly #init: readonly ContainerRunner[];
  readonly #main: readonly ContainerRunner[];
  readonly #status: StatusWriter;
  readonly #startTime = now();
  readonly #removed = Promise.withResolvers<void>();
  #pod: Pod;
  #failure: PodFailure | null = null;
  #hasVolumes = false;
  #isOver = false;
  #isReported = false;
  #sources = Promise.withResolvers<void>();

  constructor(node: NodeContext, pod: Pod) {
    this.node = node;
    this.#pod = pod;
    this.podIp = node.addresses.allocate();
    this.directory = join(node.directory, 'pods', pod.metadata.uid);
    this.volumes = new PodVolumes(node, pod, join(this.directory, 'volumes'), this.podIp);
    this.#status = new StatusWriter(node, pod, () => this.#computeStatus());
    const runner = (container: Container, waitingReason: string): ContainerRunner =>
      new ContainerRunner(this, container, new ContainerRecord(container, waitingReason, () => this.changed()));
    const initContainers = pod.spec.initContainers ?? [];
    this.#init = initContainers.map((container) => runner(container, 'PodInitializing'));
    this.#main = pod.spec.containers.map((container) => runner(container, initContainers.length > 0 ? 'PodInitializing' : 'ContainerCreating'));
    this.#takeIn(pod);
    this.done = this.#live();
  }

  get pod(): Pod {
    return this.#pod;
  }

  changed(): void {
    this.#status.changed();
  }

  sourcesChanged(): Promise<void> {
    return this.#sources.promise;
  }

  container(name: string): ContainerRunner | undefined {
    return [...this.#main, ...this.#init].find((runner) => runner.record.name === name);
  }

  /** True when the container was one of this Pod's and ran. */
  killContainer(containerId: string): boolean {
    const run = this.#main.find((runner) => runner.record.containerId === containerId)?.current ?? null;
    run?.kill();
    return run !== null;
  }

  /** The Pod object has changed: labels for the downward API, or it has to end now or sooner than planned. */
  update(pod: Pod): void {
    this.#takeIn(pod);
    this.sourceChanged();
  }

  /** A Secret, ConfigMap or claim of the Pod's namespace has changed. */
  sourceChanged(): void {
    if (this.#hasVolumes && !this.#isOver) this.volumes.refresh(this.#pod);
    this.#sources.resolve();
    this.#sources = Promise.withResolvers();
  }

  /** The object has left the API: what still runs is killed at once. */
  removed(): void {
    this.#status.close();
    this.termination.force();
    this.#removed.resolve();
  }

  #takeIn(pod: Pod): void {
    this.#pod = pod;
    const { deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata;
    if (deletionTimestamp !== undefined) this.termination.request((deletionGracePeriodSeconds ?? pod.spec.terminationGracePeriodSeconds ?? 30) * 1000);
    if (deletionTimestamp !== undefined && this.#isReported) void this.#confirmDeletion();
  }

  async #live(): Promise<void> {
    const watchers = this.#watchLimits();
    try {
      await this.#start();
    } catch (error) {
      this.node.report(`Pod ${this.#pod.metadata.namespace}/${this.#pod.metadata.name}: ${String(error)}`);
      this.#failure = { reason: 'NodeError', message: error instanceof Error ? error.message : String(error) };
    }
    watchers[Symbol.dispose]();
    this.#isOver = true;
    this.changed();
    await this.volumes[Symbol.asyncDispose]();
    await this.#status.flush();
    this.#isReported = true;
    if (this.#pod.metadata.deletionTimestamp !== undefined) await this.#confirmDeletion();
    await this.#removed.promise;
    this.termination[Symbol.dispose]();
    await rm(this.directory, { recursive: true, force: true });
    this.node.addresses.release(this.podIp);
  }

  async #start(): Promise<void> {
    this.changed();
    await mkdir(join(this.directory, 'volumes'), { recursive: true, mode: 0o711 });
    if (!(await this.#mountVolumes())) return;
    this.#hasVolumes = true;
    this.changed();
    if (!(await this.#runInitContainers())) return;
    const { restartPolicy = 'Always' } = this.#pod.spec;
    const isRestarted = (exitCode: number): boolean => restartPolicy === 'Always' || (restartPolicy === 'OnFailure' && exitCode !== 0);
    await Promise.all(this.#main.map((runner) => runner.run(isRestarted)));
  }

  async #mountVolumes(): Promise<boolean> {
    const { requested } = this.termination;
    for (let retryMs = MOUNT_RETRY_MS; !requested.aborted; retryMs = Math.min(retryMs * 2, 120_000)) {
      const changed = this.sourcesChanged();
      try {
        await this.volumes.mount();
        return true;
      } catch (error) {
        if (!(error instanceof VolumeNotReadyError)) throw error;
        this.node.events.record(this.#pod, { type: 'Warning', reason: 'FailedMount', message: error.message });
      }
      const waited = new AbortController();
      await Promise.race([changed, whenAborted(requested), pause(retryMs, AbortSignal.any([requested, waited.signal]))]);
      waited.abort();
    }
    return false;
  }

  /** True when all have succeeded, one after the other. */
  async #runInitContainers(): Promise<boolean> {
    const isRestarted = (exitCode: number): boolean => exitCode !== 0 && this.#pod.spec.restartPolicy !== 'Never';
    for (const runner of this.#init) {
      await runner.run(isRestarted);
      if (!runner.record.succeeded) return false;
    }
    return true;
  }

  #watchLimits(): Disposable {
    const { activeDeadlineSeconds } = this.#pod.spec;
    const graceMs = (this.#pod.spec.terminationGracePeriodSeconds ?? 30) * 1000;
    const deadline = setTimeout(
      () => this.#fail({ reason: 'DeadlineExceeded', message: 'Pod was active on the node longer than the specified deadline' }, graceMs),
      Math.min((activeDeadlineSeconds ?? Number.POSITIVE_INFINITY) * 1000, 2 ** 31 - 1),
    );
    const sizes = setInterval(() => void this.#checkSizes(), this.node.timing.sizeCheckMs);
    return {
      [Symbol.dispose]() {
        clearTimeout(deadline);
        clearInterval(sizes);
      },
    };
  }

  async #checkSizes(): Promise<void> {
    const oversized = await this.volumes.oversized();
    if (oversized === null || this.#isOver) return;
    this.#fail({ reason: 'Evicted', message: `Usage of EmptyDir volume "${oversized.name}" exceeds the limit "${oversized.limit}". ` }, EVICTION_GRACE_MS);
  }

  #fail(failure: PodFailure, graceMs: number): void {
    if (this.#failure !== null || this.termination.requested.aborted) return;
    this.#failure = failure;
    this.node.events.record(this.#pod, { type: 'Warning', reason: failure.reason, message: failure.message });
    this.termination.request(graceMs);
  }

  #computeStatus(): ReturnType<typeof podStatus> {
    return podStatus({
      pod: this.#pod,
      records: { init: this.#init.map(({ record }) => record), main: this.#main.map(({ record }) => record) },
      failure: this.#isOver ? this.#failure : null,
      isOver: this.#isOver,
      podIp: this.podIp,
      nodeIp: this.node.addresses.nodeAddress,
      startTime: this.#startTime,
      hasVolumes: this.#hasVolumes,
    });
  }

  /** The node has ended and reported everything: the object may go. */
  async #confirmDeletion(): Promise<void> {
    try {
      await this.node.client.delete(PODS, this.#pod, { gracePeriodSeconds: 0 });
    } catch (error) {
      this.node.report(`Pod ${this.#pod.metadata.namespace}/${this.#pod.metadata.name} could not be removed: ${String(error)}`);
    }
  }
}
