import { isReady, msUntilPodAvailable } from '../pods/pod-conditions.ts';
import { labelsMatch } from '../runtime/label-selector.ts';
import type { Pod, ReplicaSet } from '../runtime/objects.ts';

type Status = NonNullable<ReplicaSet['status']>;

/** Counts that are zero are left out, as Kubernetes does; `replicas` always is there. */
export function replicaSetStatus(replicaSet: ReplicaSet, pods: readonly Pod[]): Status {
  const templateLabels = replicaSet.spec.template?.metadata?.labels ?? {};
  const minReadySeconds = replicaSet.spec.minReadySeconds ?? 0;
  const ready = pods.filter(isReady).length;
  const available = pods.filter((pod) => msUntilPodAvailable(pod, minReadySeconds) === 0).length;
  const labelled = pods.filter((pod) => labelsMatch(templateLabels, pod.metadata.labels)).length;
  return {
    replicas: pods.length,
    ...(labelled > 0 ? { fullyLabeledReplicas: labelled } : {}),
    ...(ready > 0 ? { readyReplicas: ready } : {}),
    ...(available > 0 ? { availableReplicas: available } : {}),
    observedGeneration: replicaSet.metadata.generation ?? 0,
  };
}

/** When the next ready Pod will have been ready for minReadySeconds; null when there is none to wait for. */
export function msUntilAvailable(replicaSet: ReplicaSet, pods: readonly Pod[]): number | null {
  const waits = pods.map((pod) => msUntilPodAvailable(pod, replicaSet.spec.minReadySeconds ?? 0)).filter((ms) => ms !== null && ms > 0);
  return waits.length === 0 ? null : Math.min(...(waits as number[]));
}
