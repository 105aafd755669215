import { isReady } from '../pods/pod-conditions.ts';
import type { Pod } from '../runtime/objects.ts';

const PHASES = ['Pending', 'Unknown', 'Running'];

/** The Pods that are missed least come first: unassigned, not yet running, not ready, restarted more often, younger. */
export function byDeletionOrder(a: Pod, b: Pod): number {
  return (
    Number(a.spec.nodeName !== undefined) - Number(b.spec.nodeName !== undefined) ||
    PHASES.indexOf(a.status?.phase ?? 'Pending') - PHASES.indexOf(b.status?.phase ?? 'Pending') ||
    Number(isReady(a)) - Number(isReady(b)) ||
    restarts(b) - restarts(a) ||
    Date.parse(b.metadata.creationTimestamp) - Date.parse(a.metadata.creationTimestamp)
  );
}

function restarts(pod: Pod): number {
  return (pod.status?.containerStatuses ?? []).reduce((sum, container) => sum + container.restartCount, 0);
}
