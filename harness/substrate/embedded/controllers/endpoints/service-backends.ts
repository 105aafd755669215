import type { Pod, Service } from '../runtime/objects.ts';
import { hasEnded, isReady } from '../pods/pod-conditions.ts';
import { labelsMatch } from '../runtime/label-selector.ts';

export interface Backend {
  readonly pod: Pod;
  readonly ip: string;
  readonly isReady: boolean;
  readonly isTerminating: boolean;
}

export interface BackendPort {
  readonly name?: string;
  readonly port: number;
  readonly protocol: 'TCP' | 'UDP' | 'SCTP';
}

/** The Pods behind a Service that have an address, in a stable order. */
export function backendsOf(service: Service, pods: readonly Pod[]): Backend[] {
  const selector = service.spec.selector ?? {};
  const tolerant = service.spec.publishNotReadyAddresses === true;
  return pods
    .filter((pod) => labelsMatch(selector, pod.metadata.labels) && !hasEnded(pod))
    .flatMap((pod) => {
      const ip = pod.status?.podIP;
      const isTerminating = pod.metadata.deletionTimestamp !== undefined;
      return ip === undefined ? [] : [{ pod, ip, isReady: tolerant || (isReady(pod) && !isTerminating), isTerminating }];
    })
    .toSorted((a, b) => (a.pod.metadata.name < b.pod.metadata.name ? -1 : 1));
}

/** A Service's ports as the backends serve them; a named target port is looked up in their containers. */
export function portsOf(service: Service, backends: readonly Backend[]): BackendPort[] {
  return (service.spec.ports ?? []).flatMap((servicePort) => {
    const { name, protocol = 'TCP', targetPort = servicePort.port } = servicePort;
    const port = typeof targetPort === 'number' ? targetPort : namedPort(targetPort, backends);
    return port === undefined ? [] : [{ ...(name === undefined ? {} : { name }), port, protocol }];
  });
}

function namedPort(name: string, backends: readonly Backend[]): number | undefined {
  const ports = backends.flatMap(({ pod }) => pod.spec.containers.flatMap((container) => container.ports ?? []));
  return ports.find((port) => port.name === name)?.containerPort;
}
