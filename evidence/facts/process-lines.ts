import { CLOCK_BOUND_MS } from '../clock-bound.ts';
import { instantMs } from '../instants.ts';
import type { ObservationOf } from '../observation.ts';
import { groupBy } from './group-by.ts';
import { fact, type ObservedRun } from './observed-run.ts';
import type { PodLife } from './pods.ts';

export type ProcessLine = ObservationOf<'process.line'>;

const linesByPod = fact((run: ObservedRun) => groupBy(run.of('process.line'), ({ body }) => body.podUid));

/** What one Pod printed, in the order of its log. */
export function linesOf(run: ObservedRun, podUid: string | null | undefined): readonly ProcessLine[] {
  return (linesByPod(run).get(podUid ?? '') ?? []).toSorted((left, right) => left.body.index - right.body.index);
}

export function eventLine(run: ObservedRun, podUid: string | null | undefined, event: string): ProcessLine | null {
  return linesOf(run, podUid).find(({ body }) => body.line['event'] === event) ?? null;
}

/** Whether a line names the Pod that printed it where it names one, and is dated between that Pod's creation and its own recording where it is dated. */
export function isOfItsPod(pod: PodLife | null | undefined, { at, body }: ProcessLine | ObservationOf<'ingress.line'>): boolean {
  if (pod === null || pod === undefined || pod.uid !== body.podUid || ('podName' in body && body.podName !== pod.name)) return false;
  const { podUid = pod.uid, at: printedAt } = body.line;
  if (podUid !== pod.uid) return false;
  if (printedAt === undefined) return true;
  const printedMs = instantMs(printedAt);
  return printedMs >= instantMs(pod.appeared.body.object.metadata.creationTimestamp) - CLOCK_BOUND_MS && printedMs <= instantMs(at) + CLOCK_BOUND_MS;
}

/** Whether everything that a Worker's Pod printed is its own, and of that Worker. */
export function printedAsWorker(run: ObservedRun, pod: PodLife | null | undefined, workerId: string | null): boolean {
  return linesOf(run, pod?.uid).every((printed) => isOfItsPod(pod, printed) && (printed.body.line['workerId'] ?? workerId) === workerId);
}

export const ACTOR = 'qinglong3-rollout-actor';
export const WORKER = 'qinglong3-worker';
