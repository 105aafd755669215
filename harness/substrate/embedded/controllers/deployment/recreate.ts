import type { ReplicaSet } from '../runtime/objects.ts';
import { desiredReplicas } from './replica-counts.ts';
import type { Rollout } from './rollout.ts';

/** Strategy Recreate: the new ReplicaSet is not even made before every Pod of the old ones is gone from the API. */
export async function recreate(rollout: Rollout): Promise<void> {
  const scaledDown = await Promise.all(rollout.old.map((replicaSet) => rollout.scale(replicaSet, 0)));
  if (scaledDown.includes(true)) return;
  if (rollout.old.some((replicaSet) => hasPods(rollout, replicaSet))) return;
  const wanted = desiredReplicas(rollout.deployment);
  const current = await rollout.ensureCurrent(() => wanted);
  await rollout.scale(current, wanted);
}

/** A ReplicaSet whose controller has not seen the last change may still be creating Pods. */
function hasPods(rollout: Rollout, replicaSet: ReplicaSet): boolean {
  const isSettled = replicaSet.status?.observedGeneration === replicaSet.metadata.generation && replicaSet.status?.replicas === 0;
  return !isSettled || rollout.podsOf(replicaSet).length > 0;
}
