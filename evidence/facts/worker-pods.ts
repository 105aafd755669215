import { fact, type ObservedRun } from './observed-run.ts';
import { annotationOf, workerPods, type PodLife } from './pods.ts';
import { ACTOR, eventLine, WORKER } from './process-lines.ts';

function podsThatSaid(run: ObservedRun, component: string, event: string): readonly PodLife[] {
  return workerPods(run).filter((pod) => annotationOf(pod, 'credentialId') !== null && eventLine(run, pod.uid, event)?.body.line['component'] === component);
}

/** Phase A: Pods in which the bounded actor ran under a credential, in order. */
export const actorPods = fact((run: ObservedRun) => podsThatSaid(run, ACTOR, 'started'));
/** Phase B: Pods in which the production Worker ran, in order. */
export const productPods = fact((run: ObservedRun) => podsThatSaid(run, WORKER, 'starting'));

/** The parts that the Pods of phase A play in the contract. */
export interface ActorCast {
  readonly old: PodLife | null;
  readonly rotated: PodLife | null;
  readonly crashReplacement: PodLife | null;
  readonly executorJobReplacement: PodLife | null;
  readonly identityReplacement: PodLife | null;
}

export const actorCast = fact((run: ObservedRun): ActorCast => {
  const [old = null, rotated = null, crashReplacement = null, executorJobReplacement = null, identityReplacement = null] = actorPods(run);
  return { old, rotated, crashReplacement, executorJobReplacement, identityReplacement };
});

/** Credential of each Pod that the contract makes, in order. */
export const EXPECTED_CREDENTIALS = {
  actor: ['live_generation_1', 'live_generation_2', 'live_generation_2', 'live_generation_3', 'live_generation_3'],
  product: ['live_generation_3', 'live_generation_4', 'live_generation_4'],
} as const;

export function carryCredentials(pods: readonly PodLife[], expected: readonly string[]): boolean {
  return pods.length === expected.length && pods.every((pod, index) => annotationOf(pod, 'credentialId') === expected[index]);
}
