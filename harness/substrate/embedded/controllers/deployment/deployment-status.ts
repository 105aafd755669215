import type { Deployment, ReplicaSet } from '../runtime/objects.ts';
import { now } from '../runtime/timestamps.ts';
import { desiredReplicas, rolloutBounds, sum } from './replica-counts.ts';

export type Status = NonNullable<Deployment['status']>;
export type Condition = NonNullable<Status['conditions']>[number];
export type Verdict = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>;

/** The counts and the condition Available; Progressing is a matter of its own. Counts of zero are left out. */
export function deploymentStatus(deployment: Deployment, all: readonly ReplicaSet[], current: ReplicaSet | undefined): Status {
  const total = sum(all, (replicaSet) => replicaSet.status?.replicas);
  const available = sum(all, (replicaSet) => replicaSet.status?.availableReplicas);
  const counts = {
    replicas: total,
    updatedReplicas: current?.status?.replicas ?? 0,
    readyReplicas: sum(all, (replicaSet) => replicaSet.status?.readyReplicas),
    availableReplicas: available,
    unavailableReplicas: Math.max(0, Math.max(total, desiredReplicas(deployment)) - available),
    collisionCount: deployment.status?.collisionCount ?? 0,
  };
  return {
    observedGeneration: deployment.metadata.generation ?? 0,
    ...Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)),
    conditions: withCondition(deployment.status?.conditions ?? [], availability(deployment, available)),
  };
}

function availability(deployment: Deployment, available: number): Verdict {
  const isAvailable = available >= desiredReplicas(deployment) - rolloutBounds(deployment).maxUnavailable;
  return isAvailable
    ? { type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable', message: 'Deployment has minimum availability.' }
    : { type: 'Available', status: 'False', reason: 'MinimumReplicasUnavailable', message: 'Deployment does not have minimum availability.' };
}

/** An unchanged status keeps its lastTransitionTime; an unchanged reason keeps the whole condition. */
export function withCondition(conditions: readonly Condition[], verdict: Verdict, refresh = false): Condition[] {
  const before = conditions.find((condition) => condition.type === verdict.type);
  const isKept = before?.status === verdict.status && before.reason === verdict.reason && !refresh;
  if (isKept) return [...conditions];
  const at = now();
  const lastTransitionTime = before?.status === verdict.status ? (before.lastTransitionTime ?? at) : at;
  const rest = conditions.filter((condition) => condition.type !== verdict.type);
  return [...rest, { ...verdict, lastUpdateTime: at, lastTransitionTime }];
}
