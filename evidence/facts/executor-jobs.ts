import { CONTRACT_NAMES } from '../contract-names.ts';
import { KUBERNETES_TIME_STEP_MS } from '../clock-bound.ts';
import { instantMs } from '../instants.ts';
import type { ExecutorOutput } from '../observation.ts';
import { executorOutput } from '../report-sections.ts';
import { faultsOf } from '../shape.ts';
import { requests, succeeded, type Request, type Window } from './audit.ts';
import { fact, type ObservedRun } from './observed-run.ts';
import { exitOf, ownedBy, podLives, type PodLife, type WatchedObject } from './pods.ts';
import { linesOf, type ProcessLine } from './process-lines.ts';

/** One executor Job with the only Pod that it may have made. */
export interface ExecutorJob {
  readonly job: WatchedObject | null;
  /** The API server's record of the Job's creation. */
  readonly creation: Request | null;
  readonly pods: readonly PodLife[];
  readonly pod: PodLife | null;
  readonly outputLine: ProcessLine | null;
  readonly output: ExecutorOutput | null;
}

function readJob(run: ObservedRun, name: string): ExecutorJob {
  const { executorNamespace: namespace } = CONTRACT_NAMES;
  const job = run.of('api.watched').findLast(({ body: { object } }) => object.kind === 'Job' && object.metadata.namespace === namespace && object.metadata.name === name) ?? null;
  const creation = requests(run).find((request) => request.event.verb === 'create' && request.event.resource === 'jobs' && request.event.namespace === namespace && request.event.name === name && succeeded(request)) ?? null;
  const pods = podLives(run).filter((pod) => pod.namespace === namespace && ownedBy(pod, 'Job', (owner) => owner === name));
  const pod = pods[0] ?? null;
  const outputLine = linesOf(run, pod?.uid).find(({ body }) => body.line['event'] === 'execution_completed') ?? null;
  const line = outputLine?.body.line;
  const output = line !== undefined && faultsOf(executorOutput, line).length === 0 ? (line as unknown as ExecutorOutput) : null;
  return { job, creation, pods, pod, outputLine, output };
}

/** The Job that executes generation 3, and the one that replays its command. */
export const firstJob = fact((run: ObservedRun) => readJob(run, CONTRACT_NAMES.executorJob));
export const replayJob = fact((run: ObservedRun) => readJob(run, CONTRACT_NAMES.executorReplayJob));

/**
 * From the Pod's creation to the end of its container. Both are told in whole seconds, so the end is taken a second later; and a Pod
 * cannot have lived before its Job was asked for, which the audit log tells more exactly.
 */
export function lifetimeOf({ pod, creation }: ExecutorJob): Window | null {
  const fromMs = Math.max(instantMs(pod?.appeared.body.object.metadata.creationTimestamp), creation?.receivedMs ?? -Infinity);
  const toMs = instantMs(exitOf(pod)?.finishedAt) + KUBERNETES_TIME_STEP_MS;
  return Number.isNaN(fromMs) || Number.isNaN(toMs) ? null : { fromMs, toMs };
}
