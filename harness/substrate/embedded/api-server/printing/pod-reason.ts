import type { V1ContainerStatus, V1PodSpec, V1PodStatus } from '@kubernetes/client-node';
import type { ApiObject } from '../api-object.ts';
import { ageOf } from './age.ts';
import { part } from './common-columns.ts';

/** The word in the STATUS column of `kubectl get pods`: the most telling of phase, reason and container states. */
export function podReason(pod: ApiObject): string {
  const status = part<V1PodStatus>(pod, 'status');
  const init = initReason(status.initContainerStatuses ?? [], part<V1PodSpec>(pod, 'spec'));
  const reason = init ?? containersReason(status.containerStatuses ?? [], status.reason || status.phase || 'Unknown', status);
  if (pod.metadata.deletionTimestamp === undefined) return reason;
  if (status.reason === 'NodeLost') return 'Unknown';
  return status.phase === 'Succeeded' || status.phase === 'Failed' ? reason : 'Terminating';
}

function initReason(statuses: readonly V1ContainerStatus[], spec: Partial<V1PodSpec>): string | null {
  for (const [index, { state }] of statuses.entries()) {
    if (state?.terminated?.exitCode === 0) continue;
    if (state?.terminated !== undefined) return `Init:${state.terminated.reason || exitText(state.terminated)}`;
    const waiting = state?.waiting?.reason ?? '';
    if (waiting !== '' && waiting !== 'PodInitializing') return `Init:${waiting}`;
    return `Init:${index}/${(spec.initContainers ?? statuses).length}`;
  }
  return null;
}

function containersReason(statuses: readonly V1ContainerStatus[], fallback: string, status: Partial<V1PodStatus>): string {
  let reason = fallback;
  let running = false;
  for (const { state, ready } of statuses.toReversed()) {
    if ((state?.waiting?.reason ?? '') !== '') reason = state?.waiting?.reason as string;
    else if (state?.terminated !== undefined) reason = state.terminated.reason || exitText(state.terminated);
    else if (ready && state?.running !== undefined) running = true;
  }
  if (reason !== 'Completed' || !running) return reason;
  return (status.conditions ?? []).some(({ type, status: held }) => type === 'Ready' && held === 'True') ? 'Running' : 'NotReady';
}

function exitText({ signal, exitCode }: { signal?: number; exitCode: number }): string {
  return signal !== undefined && signal !== 0 ? `Signal:${signal}` : `ExitCode:${exitCode}`;
}

export function restartsOf(pod: ApiObject): string {
  const statuses = part<V1PodStatus>(pod, 'status').containerStatuses ?? [];
  const restarts = statuses.reduce((sum, { restartCount }) => sum + restartCount, 0);
  const endings = statuses.map(({ lastState }) => String(lastState?.terminated?.finishedAt ?? '')).filter((time) => time !== '');
  const last = endings.toSorted().at(-1);
  return restarts > 0 && last !== undefined ? `${restarts} (${ageOf(last)} ago)` : String(restarts);
}
