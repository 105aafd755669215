import { isDeepStrictEqual } from 'node:util';
import { hasEnded, isActive, isReady } from '../pods/pod-conditions.ts';
import { podFromTemplate } from '../pods/pod-from-template.ts';
import { isForbidden } from '../runtime/cluster-client.ts';
import { Controller, type ControllerContext } from '../runtime/controller.ts';
import { JOBS, PODS } from '../runtime/kinds.ts';
import { keyOf, type ObjectCache } from '../runtime/object-cache.ts';
import type { Job, Pod } from '../runtime/objects.ts';
import { controllerOf } from '../runtime/ownership.ts';
import { now } from '../runtime/timestamps.ts';
import { announcementOf, finishedAt, type JobStatus, jobVerdict, msUntilDeadline, type Verdict, withJobCondition } from './job-conditions.ts';
import { PodLedger } from './pod-ledger.ts';

export interface JobBackOff {
  readonly initialMs: number;
  readonly maxMs: number;
}

/** Kubernetes' delays between a failed Pod and its replacement: 10 s, 20 s, 40 s … six minutes. */
export const JOB_BACK_OFF: JobBackOff = { initialMs: 10_000, maxMs: 360_000 };

export class JobController extends Controller {
  readonly #jobs: ObjectCache<Job>;
  readonly #pods: ObjectCache<Pod>;
  readonly #ledger = new PodLedger();
  readonly #backOff: JobBackOff;

  constructor(context: ControllerContext, backOff: JobBackOff) {
    super(context, 'job-controller', (key) => this.#reconcile(key));
    this.#backOff = backOff;
    this.#jobs = context.caches.of(JOBS);
    this.#pods = context.caches.of(PODS);
    this.#jobs.onChange(({ type, object }) => {
      if (type === 'DELETED') this.#ledger.forget(object.metadata.uid);
      else this.queue.add(keyOf(object));
    });
    this.#pods.onChange(({ type, object }) => {
      const owner = controllerOf(object);
      if (owner?.kind !== 'Job') return;
      this.#ledger.note(owner.uid, object, type === 'DELETED');
      this.queue.add(`${object.metadata.namespace}/${owner.name}`);
    });
  }

  async #reconcile(key: string): Promise<void> {
    const job = this.#jobs.get(key);
    if (job === undefined) return;
    const ended = finishedAt(job);
    if (ended !== null) return this.#expire(job, ended);
    if (job.metadata.deletionTimestamp !== undefined) return this.#writeStatus(job, {});
    if (job.spec.suspend === true) return this.#suspend(job);
    if (job.status?.startTime === undefined) return this.#start(job);
    const verdict = this.#announced(job) ?? jobVerdict(job, this.#ledger.counts(job.metadata.uid));
    if (verdict !== null) return this.#finish(job, verdict);
    const deadlineMs = msUntilDeadline(job);
    if (deadlineMs !== null) this.queue.addAfter(key, deadlineMs);
    await this.#createMissing(job);
    await this.#writeStatus(job, {});
  }

  async #start(job: Job): Promise<void> {
    const conditions = job.status?.conditions ?? [];
    const resumed = conditions.some((condition) => condition.type === 'Suspended')
      ? withJobCondition(conditions, 'Suspended', 'False', 'JobResumed', 'Job resumed')
      : conditions;
    await this.#writeStatus(job, { startTime: now(), ...(resumed.length > 0 ? { conditions: resumed } : {}) });
    this.queue.add(keyOf(job));
  }

  /** An announced verdict stands, whatever the last Pods still do. */
  #announced(job: Job): Verdict | null {
    const condition = job.status?.conditions?.find(({ type, status }) => status === 'True' && (type === 'SuccessCriteriaMet' || type === 'FailureTarget'));
    if (condition === undefined) return null;
    const outcome = condition.type === 'SuccessCriteriaMet' ? 'Complete' : 'Failed';
    return { outcome, reason: condition.reason as Verdict['reason'], message: condition.message ?? '' };
  }

  #podsOf(job: Job): Pod[] {
    return this.#pods.ownedBy(job.metadata.uid);
  }

  async #createMissing(job: Job): Promise<void> {
    const { succeeded, failed } = this.#ledger.counts(job.metadata.uid);
    const active = this.#podsOf(job).filter((pod) => !hasEnded(pod));
    const wanted = this.#wantedActive(job, succeeded, active.length);
    if (active.length > wanted) await this.#remove(active.filter(isActive).slice(wanted - active.length));
    if (active.length >= wanted) return;
    const delayMs = failed === 0 ? 0 : Math.min(this.#backOff.initialMs * 2 ** (failed - 1), this.#backOff.maxMs);
    const waitMs = failed === 0 ? 0 : delayMs - this.#ledger.msSinceLastFailure(job.metadata.uid);
    if (waitMs > 0) return this.queue.addAfter(keyOf(job), waitMs);
    await Promise.all(Array.from({ length: wanted - active.length }, () => this.#createPod(job)));
  }

  #wantedActive(job: Job, succeeded: number, active: number): number {
    const { completions, parallelism = 1 } = job.spec;
    if (completions !== undefined) return Math.min(parallelism, completions - succeeded);
    return succeeded > 0 ? active : parallelism;
  }

  async #createPod(job: Job): Promise<void> {
    const draft = podFromTemplate(job, job.spec.template);
    const owned = { 'controller-uid': job.metadata.uid, 'job-name': job.metadata.name };
    const prefixed = Object.fromEntries(Object.entries(owned).map(([name, value]) => [`batch.kubernetes.io/${name}`, value]));
    const labels = { ...(draft.metadata['labels'] as Record<string, string> | undefined), ...owned, ...prefixed };
    try {
      const pod = this.#pods.observe(await this.client.create(PODS, job.metadata.namespace, { ...draft, metadata: { ...draft.metadata, labels } }));
      this.events.record(job, { type: 'Normal', reason: 'SuccessfulCreate', message: `Created pod: ${pod.metadata.name}` });
    } catch (error) {
      this.events.record(job, { type: 'Warning', reason: 'FailedCreate', message: `Error creating: ${(error as Error).message}` });
      if (!isForbidden(error)) throw error;
    }
  }

  async #remove(pods: readonly Pod[]): Promise<void> {
    await Promise.all(pods.map((pod) => this.client.delete(PODS, pod)));
  }

  async #suspend(job: Job): Promise<void> {
    await this.#remove(this.#podsOf(job).filter(isActive));
    const conditions = withJobCondition(job.status?.conditions ?? [], 'Suspended', 'True', 'JobSuspended', 'Job suspended');
    await this.#writeStatus(job, { conditions });
  }

  async #finish(job: Job, verdict: Verdict): Promise<void> {
    const { outcome, reason, message } = verdict;
    const left = this.#podsOf(job).filter((pod) => !hasEnded(pod));
    await this.#remove(left.filter(isActive));
    const announced = withJobCondition(job.status?.conditions ?? [], announcementOf(verdict), 'True', reason, message);
    if (left.length > 0) return this.#writeStatus(job, { conditions: announced });
    const conditions = withJobCondition(announced, outcome, 'True', reason, message);
    await this.#writeStatus(job, { conditions, ...(outcome === 'Complete' ? { completionTime: now() } : {}) });
    const event = outcome === 'Complete' ? { type: 'Normal', reason: 'Completed', message: 'Job completed' } as const : { type: 'Warning', reason, message } as const;
    this.events.record(job, event);
  }

  async #expire(job: Job, endedAt: number): Promise<void> {
    const { ttlSecondsAfterFinished } = job.spec;
    if (ttlSecondsAfterFinished === undefined || job.metadata.deletionTimestamp !== undefined) return;
    const waitMs = endedAt + ttlSecondsAfterFinished * 1000 - Date.now();
    if (waitMs > 0) return this.queue.addAfter(keyOf(job), waitMs);
    await this.client.delete(JOBS, job, { propagationPolicy: 'Foreground' });
  }

  async #writeStatus(job: Job, change: Partial<JobStatus>): Promise<void> {
    const counts = this.#ledger.counts(job.metadata.uid);
    const pods = this.#podsOf(job);
    const active = pods.filter(isActive);
    const terminating = pods.filter((pod) => !hasEnded(pod) && !isActive(pod)).length;
    const { active: _active, succeeded: _succeeded, failed: _failed, ...kept } = job.status ?? {};
    const status: JobStatus = {
      ...kept,
      ...(active.length > 0 ? { active: active.length } : {}),
      ...(counts.succeeded > 0 ? { succeeded: counts.succeeded } : {}),
      ...(counts.failed > 0 ? { failed: counts.failed } : {}),
      ready: active.filter(isReady).length,
      terminating,
      uncountedTerminatedPods: {},
      ...change,
    };
    if (isDeepStrictEqual(status, job.status ?? {})) return;
    this.#jobs.observe(await this.client.replace(JOBS, { ...job, status }, 'status'));
  }
}
