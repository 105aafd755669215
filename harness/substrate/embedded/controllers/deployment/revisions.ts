import type { Deployment, ReplicaSet } from '../runtime/objects.ts';
import { desiredReplicas, rolloutBounds } from './replica-counts.ts';

const REVISION = 'deployment.kubernetes.io/revision';
const HISTORY = 'deployment.kubernetes.io/revision-history';
const DESIRED = 'deployment.kubernetes.io/desired-replicas';
const MAXIMUM = 'deployment.kubernetes.io/max-replicas';
const NOT_COPIED = new Set(['kubectl.kubernetes.io/last-applied-configuration', REVISION, HISTORY, DESIRED, MAXIMUM, 'deprecated.deployment.rollback.to']);

export function revisionOf(object: Deployment | ReplicaSet): number {
  return Number.parseInt(object.metadata.annotations?.[REVISION] ?? '0', 10) || 0;
}

export function deploymentAnnotationsAt(deployment: Deployment, revision: number): Record<string, string> {
  return { ...deployment.metadata.annotations, [REVISION]: String(revision) };
}

/** The current ReplicaSet has the highest revision; one that becomes current again gets a new number and remembers its old ones. */
export function replicaSetAnnotations(deployment: Deployment, current: ReplicaSet | undefined, others: readonly ReplicaSet[]): Record<string, string> {
  const highest = Math.max(0, ...others.map(revisionOf));
  const own = current === undefined ? 0 : revisionOf(current);
  const copied = Object.entries(deployment.metadata.annotations ?? {}).filter(([name]) => !NOT_COPIED.has(name));
  const annotations = { ...current?.metadata.annotations, ...Object.fromEntries(copied), ...scaleAnnotations(deployment) };
  if (own > highest) return annotations;
  const history = current?.metadata.annotations?.[HISTORY];
  const remembered = own === 0 ? {} : { [HISTORY]: history === undefined ? String(own) : `${history},${own}` };
  return { ...annotations, ...remembered, [REVISION]: String(highest + 1) };
}

export function scaleAnnotations(deployment: Deployment): Record<string, string> {
  const wanted = desiredReplicas(deployment);
  return { [DESIRED]: String(wanted), [MAXIMUM]: String(wanted + rolloutBounds(deployment).maxSurge) };
}
