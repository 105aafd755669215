import type { V1Container, V1Probe, V1Volume } from '@kubernetes/client-node';

/** What Kubernetes fills into a container (apis/core/v1/defaults.go). */
export function setContainerDefaults(container: V1Container): void {
  container.resources ??= {};
  container.terminationMessagePath ??= '/dev/termination-log';
  container.terminationMessagePolicy ??= 'File';
  container.imagePullPolicy ??= defaultPullPolicy(container.image ?? '');
  for (const port of container.ports ?? []) port.protocol ??= 'TCP';
  for (const variable of container.env ?? []) {
    if (variable.valueFrom?.fieldRef !== undefined) variable.valueFrom.fieldRef.apiVersion ??= 'v1';
  }
  setProbeDefaults(container.livenessProbe);
  setProbeDefaults(container.readinessProbe);
  setProbeDefaults(container.startupProbe);
  for (const handler of [container.lifecycle?.preStop, container.lifecycle?.postStart]) setHttpGetDefaults(handler?.httpGet);
}

function setProbeDefaults(probe: V1Probe | undefined): void {
  if (probe === undefined) return;
  probe.timeoutSeconds ??= 1;
  probe.periodSeconds ??= 10;
  probe.successThreshold ??= 1;
  probe.failureThreshold ??= 3;
  setHttpGetDefaults(probe.httpGet);
}

function setHttpGetDefaults(action: { path?: string; scheme?: string } | undefined): void {
  if (action === undefined) return;
  action.path ??= '/';
  action.scheme ??= 'HTTP';
}

/** A moving tag is looked up at each start, a fixed tag or digest only when it is missing. */
function defaultPullPolicy(image: string): string {
  if (image.includes('@')) return 'IfNotPresent';
  const lastSegment = image.slice(image.lastIndexOf('/') + 1);
  const tag = lastSegment.includes(':') ? lastSegment.slice(lastSegment.indexOf(':') + 1) : 'latest';
  return tag === 'latest' ? 'Always' : 'IfNotPresent';
}

const READABLE_MODE = 0o644;

export function setVolumeDefaults(volume: V1Volume): void {
  const sources = Object.keys(volume).filter((key) => key !== 'name');
  if (sources.length === 0) volume.emptyDir = {};
  for (const source of [volume.secret, volume.configMap, volume.projected, volume.downwardAPI]) {
    if (source !== undefined) source.defaultMode ??= READABLE_MODE;
  }
  const downwardItems = [...(volume.downwardAPI?.items ?? []), ...(volume.projected?.sources ?? []).flatMap((source) => source.downwardAPI?.items ?? [])];
  for (const item of downwardItems) {
    if (item.fieldRef !== undefined) item.fieldRef.apiVersion ??= 'v1';
  }
  for (const source of volume.projected?.sources ?? []) {
    if (source.serviceAccountToken !== undefined) source.serviceAccountToken.expirationSeconds ??= 3600;
  }
  if (volume.hostPath !== undefined) volume.hostPath.type ??= '';
}
