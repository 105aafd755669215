import type { V1DeploymentSpec, V1DeploymentStatus, V1JobSpec, V1JobStatus, V1PodSpec, V1PodStatus, V1ReplicaSetSpec, V1ReplicaSetStatus } from '@kubernetes/client-node';
import { ageOf, humanDuration } from './age.ts';
import { AGE, containerImages, containerNames, count, NAME, part, selectorText, text } from './common-columns.ts';
import { podReason, restartsOf } from './pod-reason.ts';
import type { PrinterColumn } from './printer-column.ts';

export const podColumns: readonly PrinterColumn[] = [
  NAME,
  text('Ready', (pod) => {
    const ready = (part<V1PodStatus>(pod, 'status').containerStatuses ?? []).filter((status) => status.ready).length;
    return `${ready}/${(part<V1PodSpec>(pod, 'spec').containers ?? []).length}`;
  }),
  text('Status', podReason),
  text('Restarts', restartsOf),
  AGE,
  text('IP', (pod) => part<V1PodStatus>(pod, 'status').podIP || '<none>', 1),
  text('Node', (pod) => part<V1PodSpec>(pod, 'spec').nodeName || '<none>', 1),
  text('Nominated Node', (pod) => part<V1PodStatus>(pod, 'status').nominatedNodeName || '<none>', 1),
  text('Readiness Gates', () => '<none>', 1),
];

export const deploymentColumns: readonly PrinterColumn[] = [
  NAME,
  text('Ready', (deployment) => `${part<V1DeploymentStatus>(deployment, 'status').readyReplicas ?? 0}/${part<V1DeploymentSpec>(deployment, 'spec').replicas ?? 0}`),
  count('Up-to-date', (deployment) => part<V1DeploymentStatus>(deployment, 'status').updatedReplicas ?? 0),
  count('Available', (deployment) => part<V1DeploymentStatus>(deployment, 'status').availableReplicas ?? 0),
  AGE,
  text('Containers', (deployment) => containerNames(part<V1DeploymentSpec>(deployment, 'spec').template?.spec), 1),
  text('Images', (deployment) => containerImages(part<V1DeploymentSpec>(deployment, 'spec').template?.spec), 1),
  text('Selector', (deployment) => selectorText(part<V1DeploymentSpec>(deployment, 'spec').selector), 1),
];

export const replicaSetColumns: readonly PrinterColumn[] = [
  NAME,
  count('Desired', (replicaSet) => part<V1ReplicaSetSpec>(replicaSet, 'spec').replicas ?? 0),
  count('Current', (replicaSet) => part<V1ReplicaSetStatus>(replicaSet, 'status').replicas ?? 0),
  count('Ready', (replicaSet) => part<V1ReplicaSetStatus>(replicaSet, 'status').readyReplicas ?? 0),
  AGE,
  text('Containers', (replicaSet) => containerNames(part<V1ReplicaSetSpec>(replicaSet, 'spec').template?.spec), 1),
  text('Images', (replicaSet) => containerImages(part<V1ReplicaSetSpec>(replicaSet, 'spec').template?.spec), 1),
  text('Selector', (replicaSet) => selectorText(part<V1ReplicaSetSpec>(replicaSet, 'spec').selector), 1),
];

export const jobColumns: readonly PrinterColumn[] = [
  NAME,
  text('Status', (job) => jobState(part<V1JobStatus>(job, 'status'), part<V1JobSpec>(job, 'spec'))),
  text('Completions', (job) => `${part<V1JobStatus>(job, 'status').succeeded ?? 0}/${part<V1JobSpec>(job, 'spec').completions ?? `1 of ${part<V1JobSpec>(job, 'spec').parallelism ?? 1}`}`),
  text('Duration', (job) => {
    const { startTime, completionTime } = part<{ startTime: string; completionTime: string }>(job, 'status');
    if (startTime === undefined) return '';
    return completionTime === undefined ? ageOf(startTime) : humanDuration(Date.parse(completionTime) - Date.parse(startTime));
  }),
  AGE,
  text('Containers', (job) => containerNames(part<V1JobSpec>(job, 'spec').template?.spec), 1),
  text('Images', (job) => containerImages(part<V1JobSpec>(job, 'spec').template?.spec), 1),
  text('Selector', (job) => selectorText(part<V1JobSpec>(job, 'spec').selector), 1),
];

function jobState(status: Partial<V1JobStatus>, spec: Partial<V1JobSpec>): string {
  const holds = (type: string): boolean => (status.conditions ?? []).some((condition) => condition.type === type && condition.status === 'True');
  if (holds('Complete')) return 'Complete';
  if (holds('Failed')) return 'Failed';
  if (holds('SuccessCriteriaMet')) return 'SuccessCriteriaMet';
  if (holds('FailureTarget')) return 'FailureTarget';
  return spec.suspend === true || holds('Suspended') ? 'Suspended' : 'Running';
}
