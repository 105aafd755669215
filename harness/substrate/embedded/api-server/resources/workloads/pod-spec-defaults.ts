import type { V1PodSpec, V1PodTemplateSpec } from '@kubernetes/client-node';
import { setContainerDefaults, setVolumeDefaults } from './container-defaults.ts';

/** What Kubernetes fills into a Pod's spec, whether of a Pod or of a template. */
export function setPodSpecDefaults(spec: V1PodSpec): void {
  spec.restartPolicy ??= 'Always';
  spec.terminationGracePeriodSeconds ??= 30;
  spec.dnsPolicy ??= 'ClusterFirst';
  spec.schedulerName ??= 'default-scheduler';
  spec.securityContext ??= {};
  mirrorServiceAccountName(spec);
  for (const container of [...(spec.initContainers ?? []), ...(spec.containers ?? [])]) setContainerDefaults(container);
  for (const volume of spec.volumes ?? []) setVolumeDefaults(volume);
}

export function setPodTemplateDefaults(template: V1PodTemplateSpec): void {
  template.metadata ??= {};
  template.spec ??= {} as V1PodSpec;
  setPodSpecDefaults(template.spec);
}

/** serviceAccount is the old name of serviceAccountName; Kubernetes keeps both alike. */
export function mirrorServiceAccountName(spec: V1PodSpec): void {
  const name = spec.serviceAccountName || spec.serviceAccount;
  if (name === undefined || name === '') return;
  spec.serviceAccountName = name;
  spec.serviceAccount = name;
}
