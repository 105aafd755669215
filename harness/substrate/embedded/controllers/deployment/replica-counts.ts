import type { Deployment, ReplicaSet } from '../runtime/objects.ts';

export function desiredReplicas(object: Deployment | ReplicaSet): number {
  return object.spec.replicas ?? 1;
}

export function sum(replicaSets: readonly ReplicaSet[], count: (replicaSet: ReplicaSet) => number | undefined): number {
  return replicaSets.reduce((total, replicaSet) => total + (count(replicaSet) ?? 0), 0);
}

/** How far a rollout may go beyond and below the wanted number; both zero would never move, so one may be missing. */
export function rolloutBounds(deployment: Deployment): { maxSurge: number; maxUnavailable: number } {
  const { strategy } = deployment.spec;
  if (strategy?.type === 'Recreate') return { maxSurge: 0, maxUnavailable: 0 };
  const wanted = desiredReplicas(deployment);
  const maxSurge = portion(strategy?.rollingUpdate?.maxSurge ?? '25%', wanted, Math.ceil);
  const maxUnavailable = portion(strategy?.rollingUpdate?.maxUnavailable ?? '25%', wanted, Math.floor);
  if (maxSurge === 0 && maxUnavailable === 0) return { maxSurge, maxUnavailable: 1 };
  return { maxSurge, maxUnavailable: Math.min(maxUnavailable, wanted) };
}

function portion(value: number | string, whole: number, round: (exact: number) => number): number {
  if (typeof value === 'number') return value;
  return value.endsWith('%') ? round((Number.parseInt(value, 10) * whole) / 100) : Number.parseInt(value, 10);
}
