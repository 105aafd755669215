import type { Pod } from '../runtime/objects.ts';

export function hasEnded(pod: Pod): boolean {
  return pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
}

/** Neither ended nor being deleted. */
export function isActive(pod: Pod): boolean {
  return !hasEnded(pod) && pod.metadata.deletionTimestamp === undefined;
}

export function isReady(pod: Pod): boolean {
  return readyCondition(pod)?.status === 'True';
}

/** 0 when the Pod has been ready for so long, null while it is not ready. */
export function msUntilPodAvailable(pod: Pod, minReadySeconds: number): number | null {
  const ready = readyCondition(pod);
  if (ready?.status !== 'True') return null;
  if (minReadySeconds === 0) return 0;
  return Math.max(0, Date.parse(ready.lastTransitionTime ?? '') + minReadySeconds * 1000 - Date.now());
}

function readyCondition(pod: Pod): NonNullable<NonNullable<Pod['status']>['conditions']>[number] | undefined {
  return pod.status?.conditions?.find((condition) => condition.type === 'Ready');
}
