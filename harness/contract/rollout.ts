import { CONTRACT_NAMES as NAMES } from '../../evidence/contract-names.ts';
import type { ObservedObject, StepId } from '../../evidence/observation.ts';
import type { ObjectWatch } from '../cluster/object-watch.ts';
import type { PodLine } from '../cluster/pod-lines.ts';
import type { ContractContext } from './context.ts';
import { DEADLINES } from './deadlines.ts';
import { assertNotHopeless, hasEnded, isRunning, podRef, type PodRef } from './pods.ts';

/** The Pods that exist before something is triggered; a rollout is done when another uid runs, not when a write was accepted. */
export function podUids(watch: ObjectWatch): ReadonlySet<string> {
  return new Set(watch.objects.map((pod) => pod.metadata.uid));
}

/** The one running Pod of a Deployment that was not there before, once all that were there are gone. */
export async function waitForSuccessor(watch: ObjectWatch, deployment: string, before: ReadonlySet<string>): Promise<PodRef> {
  return await watch.until(
    `a new Pod of Deployment ${deployment} to run and its predecessors to be gone`,
    (pods) => {
      const own = pods.filter((pod) => belongsTo(pod, deployment));
      const fresh = own.find((pod) => !before.has(pod.metadata.uid) && pod.metadata.deletionTimestamp === undefined);
      if (fresh === undefined) return undefined;
      assertNotHopeless(fresh);
      return isRunning(fresh) && !own.some((pod) => before.has(pod.metadata.uid)) ? podRef(fresh) : undefined;
    },
    DEADLINES.rolloutMs,
  );
}

/** Does what causes the rollout of a step, and waits for the Pod that comes of it. */
export async function replacePod({ watches: { workerPods }, lulls }: ContractContext, id: StepId, cause: () => Promise<unknown>): Promise<PodRef> {
  const before = podUids(workerPods);
  await cause();
  lulls.begin(id, 'ordered');
  // both have one deadline; what is told when it has passed is the one that was asked for first
  const successor = waitForSuccessor(workerPods, NAMES.deployment, before);
  const [pod] = await Promise.all([successor, waitForEnd(workerPods, NAMES.deployment, before).then(() => lulls.begin(id, 'ended'))]);
  return pod;
}

/** The processes of the Pods that were there before have ended, though the node has still to clean up after them. */
async function waitForEnd(watch: ObjectWatch, deployment: string, before: ReadonlySet<string>): Promise<void> {
  await watch.until(
    `the containers of Deployment ${deployment}'s former Pod to have ended`,
    (pods) => pods.every((pod) => !before.has(pod.metadata.uid) || !belongsTo(pod, deployment) || hasEnded(pod)) || undefined,
    DEADLINES.rolloutMs,
  );
}

/**
 * The controllers have written down that the rollout is over, and leave the Deployment alone. A delivery reads it and replaces what it
 * has read: a status that is written between the two would be another writer's, and nobody's fault.
 */
export async function waitForRest(watch: ObjectWatch, deployment: string): Promise<void> {
  await watch.until(
    `Deployment ${deployment} to tell that its rollout is over`,
    (deployments) => deployments.find((candidate) => candidate.metadata.name === deployment && isAtRest(candidate)),
    DEADLINES.rolloutMs,
  );
}

function isAtRest({ metadata: { generation = 0 }, spec, status }: ObservedObject): boolean {
  const { observedGeneration = 0, replicas = 0, updatedReplicas = 0, readyReplicas = 0, availableReplicas = 0 } = (status ?? {}) as Readonly<Record<string, number | undefined>>;
  const wanted = (spec as { readonly replicas?: number } | undefined)?.replicas ?? 1;
  return observedGeneration >= generation && [replicas, updatedReplicas, readyReplicas, availableReplicas].every((each) => each === wanted);
}

/** Waits for one event line of a Pod. */
export async function waitForLine(context: ContractContext, pod: PodRef, event: string, deadlineMs: number = DEADLINES.podStartedMs): Promise<PodLine> {
  return await context.lines.until(`Pod ${pod.podName} to print \`${event}\``, (line) => line.podUid === pod.podUid && line.line['event'] === event, deadlineMs);
}

/** Every manifest of ours labels Pods with the Deployment that they belong to. */
export function belongsTo(pod: ObservedObject, deployment: string): boolean {
  return pod.metadata.labels?.['app.kubernetes.io/instance'] === deployment;
}
