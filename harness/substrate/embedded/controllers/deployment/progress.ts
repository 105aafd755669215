import type { Deployment, ReplicaSet } from '../runtime/objects.ts';
import { type Status, withCondition } from './deployment-status.ts';
import { desiredReplicas } from './replica-counts.ts';

/** The value that means "no deadline" in Kubernetes: the largest int32. */
const NO_DEADLINE = 2_147_483_647;
const TYPE = 'Progressing';

export function isComplete(deployment: Deployment, status: Status): boolean {
  const wanted = desiredReplicas(deployment);
  const counts = [status.replicas, status.updatedReplicas, status.availableReplicas];
  return counts.every((count) => (count ?? 0) === wanted) && (status.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0);
}

/** The status with its condition Progressing: complete, moving, or stuck for longer than the deadline. */
export function withProgress(deployment: Deployment, status: Status, current: ReplicaSet | undefined): Status {
  const deadlineSeconds = deployment.spec.progressDeadlineSeconds ?? NO_DEADLINE;
  const conditions = status.conditions ?? [];
  if (deadlineSeconds === NO_DEADLINE) return { ...status, conditions: conditions.filter((condition) => condition.type !== TYPE) };
  const subject = current === undefined ? `Deployment "${deployment.metadata.name}"` : `ReplicaSet "${current.metadata.name}"`;
  if (isComplete(deployment, status)) {
    const verdict = { type: TYPE, status: 'True', reason: 'NewReplicaSetAvailable', message: `${subject} has successfully progressed.` };
    return { ...status, conditions: withCondition(conditions, verdict) };
  }
  if (isMoving(deployment, status)) {
    const verdict = { type: TYPE, status: 'True', reason: 'ReplicaSetUpdated', message: `${subject} is progressing.` };
    return { ...status, conditions: withCondition(conditions, verdict, true) };
  }
  if (msUntilDeadline(deployment, status) === 0) {
    const verdict = { type: TYPE, status: 'False', reason: 'ProgressDeadlineExceeded', message: `${subject} has timed out progressing.` };
    return { ...status, conditions: withCondition(conditions, verdict) };
  }
  return status;
}

/** Null where no deadline runs: the rollout is complete or has been given up already. */
export function msUntilDeadline(deployment: Deployment, status: Status): number | null {
  const progressing = status.conditions?.find((condition) => condition.type === TYPE);
  const deadlineSeconds = deployment.spec.progressDeadlineSeconds ?? NO_DEADLINE;
  if (progressing === undefined || progressing.reason === 'NewReplicaSetAvailable' || progressing.status === 'False') return null;
  return Math.max(0, Date.parse(progressing.lastUpdateTime ?? '') + deadlineSeconds * 1000 - Date.now());
}

function isMoving(deployment: Deployment, status: Status): boolean {
  const before = deployment.status ?? {};
  const old = (counts: Status): number => (counts.replicas ?? 0) - (counts.updatedReplicas ?? 0);
  const isNewGeneration = (before.observedGeneration ?? 0) < (status.observedGeneration ?? 0);
  return (
    isNewGeneration ||
    (status.updatedReplicas ?? 0) > (before.updatedReplicas ?? 0) ||
    (status.readyReplicas ?? 0) > (before.readyReplicas ?? 0) ||
    (status.availableReplicas ?? 0) > (before.availableReplicas ?? 0) ||
    old(status) < old(before)
  );
}
