import type { V1PodSpec } from '@kubernetes/client-node';
import type { ApiObject } from '../../api-object.ts';

const NODE_FAULTS = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];
const TOLERATED_SECONDS = 300;

/** What the admission plugins Priority and DefaultTolerationSeconds add to every Pod. */
export function admitPriorityAndTolerations(draft: ApiObject): void {
  const spec = draft['spec'] as V1PodSpec;
  spec.priority ??= 0;
  spec.preemptionPolicy ??= 'PreemptLowerPriority';
  const tolerations = spec.tolerations ?? [];
  for (const key of NODE_FAULTS) {
    const tolerated = tolerations.some((toleration) => (toleration.key === key || (toleration.key ?? '') === '') && (toleration.effect === 'NoExecute' || (toleration.effect ?? '') === ''));
    if (!tolerated) tolerations.push({ effect: 'NoExecute', key, operator: 'Exists', tolerationSeconds: TOLERATED_SECONDS });
  }
  spec.tolerations = tolerations;
}
