import type { ReplicaSet } from '../runtime/objects.ts';
import { desiredReplicas, rolloutBounds, sum } from './replica-counts.ts';
import type { Rollout } from './rollout.ts';

/** Strategy RollingUpdate: never more Pods than maxSurge allows, never fewer available ones than maxUnavailable allows. */
export async function rollingUpdate(rollout: Rollout): Promise<void> {
  const current = await rollout.ensureCurrent((old) => currentReplicas(rollout, 0, old));
  const wanted = desiredReplicas(current) > desiredReplicas(rollout.deployment) ? desiredReplicas(rollout.deployment) : currentReplicas(rollout, desiredReplicas(current), rollout.all);
  if (await rollout.scale(current, wanted)) return;
  await scaleDownOld(rollout, current);
}

function currentReplicas(rollout: Rollout, now: number, all: readonly ReplicaSet[]): number {
  const wanted = desiredReplicas(rollout.deployment);
  const room = wanted + rolloutBounds(rollout.deployment).maxSurge - sum(all, desiredReplicas);
  return now + Math.max(0, Math.min(room, wanted - now));
}

async function scaleDownOld(rollout: Rollout, current: ReplicaSet): Promise<void> {
  const minAvailable = desiredReplicas(rollout.deployment) - rolloutBounds(rollout.deployment).maxUnavailable;
  const notYetAvailable = desiredReplicas(current) - (current.status?.availableReplicas ?? 0);
  const removable = sum(rollout.all, desiredReplicas) - minAvailable - notYetAvailable;
  if (removable <= 0) return;
  await removeUnhealthy(rollout, removable);
  const surplus = sum(rollout.all, (replicaSet) => replicaSet.status?.availableReplicas) - minAvailable;
  await removeOldest(rollout, surplus, desiredReplicas);
}

/** Pods that do not work are removed first: they are no loss of availability. */
async function removeUnhealthy(rollout: Rollout, limit: number): Promise<void> {
  await removeOldest(rollout, limit, (replicaSet) => desiredReplicas(replicaSet) - (replicaSet.status?.availableReplicas ?? 0));
}

async function removeOldest(rollout: Rollout, limit: number, removableOf: (replicaSet: ReplicaSet) => number): Promise<void> {
  let left = limit;
  for (const replicaSet of rollout.old) {
    const step = Math.min(left, removableOf(replicaSet), desiredReplicas(replicaSet));
    if (step <= 0) continue;
    await rollout.scale(replicaSet, desiredReplicas(replicaSet) - step);
    left -= step;
  }
}
