import { isDeepStrictEqual } from 'node:util';
import type { V1ServicePort, V1ServiceSpec } from '@kubernetes/client-node';
import type { ApiObject } from '../../api-object.ts';
import { AGE, mapText, NAME, part, text } from '../../printing/common-columns.ts';
import { duplicate, invalid, notSupported, required, type FieldError } from '../../validation/field-error.ts';
import { dns1035LabelFaults, dnsLabelFaults } from '../../validation/name-grammar.ts';
import { defineResource } from '../define-resource.ts';
import type { StrategyContext } from '../resource-definition.ts';
import { statusSubresource } from '../status-subresource.ts';
import { freeClusterAddress, freeNodePort, isClusterAddress } from './address-allocation.ts';

const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];

export const SERVICE = defineResource({
  group: '',
  version: 'v1',
  plural: 'services',
  kind: 'Service',
  shortNames: ['svc'],
  categories: ['all'],
  hasStatus: true,
  subresources: [statusSubresource('Service')],
  columns: [
    NAME,
    text('Type', (service) => specOf(service).type ?? ''),
    text('Cluster-IP', (service) => specOf(service).clusterIP || '<none>'),
    text('External-IP', (service) => (specOf(service).type === 'LoadBalancer' ? '<pending>' : specOf(service).externalName || (specOf(service).externalIPs ?? []).join(',') || '<none>')),
    text('Port(s)', (service) => portsText(specOf(service).ports)),
    AGE,
    text('Selector', (service) => mapText(specOf(service).selector), 1),
  ],
  strategy: {
    returnsDeletedObject: true,
    validateName: dns1035LabelFaults,
    setDefaults,
    prepareForCreate: (draft, context) => {
      allocate(specOf(draft), context);
      draft['status'] = { loadBalancer: {} };
    },
    prepareForUpdate: (draft, previous, context) => {
      keepAddresses(specOf(draft), specOf(previous));
      allocate(specOf(draft), context);
    },
    validate,
    validateUpdate: (service, previous) => {
      const [now, before] = [specOf(service), specOf(previous)];
      const changed = before.type !== 'ExternalName' && now.type !== 'ExternalName' && now.clusterIP !== before.clusterIP;
      return changed ? [invalid('spec.clusterIPs[0]', now.clusterIPs ?? [now.clusterIP], 'may not change once set')] : [];
    },
    selectableFields: (service) => ({ 'spec.clusterIP': specOf(service).clusterIP ?? '', 'spec.type': specOf(service).type ?? '' }),
  },
});

function specOf(service: ApiObject): V1ServiceSpec {
  return part<V1ServiceSpec>(service, 'spec');
}

function setDefaults(draft: ApiObject): void {
  const spec = (draft['spec'] ??= {}) as V1ServiceSpec;
  spec.type ||= 'ClusterIP';
  spec.sessionAffinity ||= 'None';
  if (spec.sessionAffinity === 'ClientIP') spec.sessionAffinityConfig ??= { clientIP: { timeoutSeconds: 10_800 } };
  for (const port of spec.ports ?? []) {
    port.protocol ||= 'TCP';
    port.targetPort ??= port.port;
  }
  if (spec.type === 'ExternalName') return;
  spec.internalTrafficPolicy ??= 'Cluster';
  spec.ipFamilies ??= ['IPv4'];
  spec.ipFamilyPolicy ??= 'SingleStack';
  if (spec.type === 'LoadBalancer') spec.allocateLoadBalancerNodePorts ??= true;
  if (spec.type !== 'ClusterIP') spec.externalTrafficPolicy ??= 'Cluster';
}

function keepAddresses(now: V1ServiceSpec, before: V1ServiceSpec): void {
  if (now.type === 'ExternalName' || before.type === 'ExternalName') return;
  if ((now.clusterIP ?? '') === '' && before.clusterIP !== undefined) now.clusterIP = before.clusterIP;
  if (now.clusterIP === before.clusterIP) now.clusterIPs ??= [...(before.clusterIPs ?? [])];
  else if (isDeepStrictEqual(now.clusterIPs, before.clusterIPs)) now.clusterIPs = [now.clusterIP as string];
  for (const port of now.ports ?? []) {
    const known = before.ports?.find((other) => other.port === port.port && other.protocol === port.protocol)?.nodePort;
    if (known !== undefined && now.type !== 'ClusterIP') port.nodePort ??= known;
  }
}

function allocate(spec: V1ServiceSpec, { store }: StrategyContext): void {
  if (spec.type === 'ExternalName') return;
  spec.clusterIP ||= spec.clusterIPs?.[0] ?? freeClusterAddress(store);
  spec.clusterIPs ??= [spec.clusterIP];
  if (spec.type === 'ClusterIP') return;
  for (const port of spec.ports ?? []) port.nodePort ??= freeNodePort(store);
}

function validate(service: ApiObject): FieldError[] {
  const spec = specOf(service);
  const errors: FieldError[] = [];
  if (!TYPES.includes(spec.type ?? '')) errors.push(notSupported('spec.type', spec.type, TYPES));
  if (spec.type === 'ExternalName' && (spec.externalName ?? '') === '') errors.push(required('spec.externalName'));
  const headless = spec.clusterIP === 'None';
  if (spec.type !== 'ExternalName' && !headless && (spec.ports ?? []).length === 0) errors.push(required('spec.ports'));
  if (spec.clusterIP !== undefined && !headless && !isClusterAddress(spec.clusterIP)) {
    errors.push(invalid('spec.clusterIPs', spec.clusterIPs, `failed to allocate IP ${spec.clusterIP}: the provided IP (${spec.clusterIP}) is not in the valid range. The range of valid IPs is 10.43.0.0/16`));
  }
  if (!['ClientIP', 'None'].includes(spec.sessionAffinity ?? '')) errors.push(notSupported('spec.sessionAffinity', spec.sessionAffinity, ['ClientIP', 'None']));
  return [...errors, ...validatePorts(spec.ports ?? [])];
}

function validatePorts(ports: readonly V1ServicePort[]): FieldError[] {
  return ports.flatMap((port, index) => {
    const at = `spec.ports[${index}]`;
    const errors: FieldError[] = [];
    if ((port.name ?? '') === '') {
      if (ports.length > 1) errors.push(required(`${at}.name`));
    } else {
      errors.push(...dnsLabelFaults(port.name as string).map((fault) => invalid(`${at}.name`, port.name, fault)));
      if (ports.findIndex((other) => other.name === port.name) < index) errors.push(duplicate(`${at}.name`, port.name));
    }
    if (!(port.port >= 1 && port.port <= 65_535)) errors.push(invalid(`${at}.port`, port.port ?? 0, 'must be between 1 and 65535, inclusive'));
    if (typeof port.targetPort === 'number' && !(port.targetPort >= 1 && port.targetPort <= 65_535)) errors.push(invalid(`${at}.targetPort`, port.targetPort, 'must be between 1 and 65535, inclusive'));
    if (!['TCP', 'UDP', 'SCTP'].includes(port.protocol ?? '')) errors.push(notSupported(`${at}.protocol`, port.protocol, ['SCTP', 'TCP', 'UDP']));
    if (ports.findIndex((other) => other.port === port.port && other.protocol === port.protocol) < index) errors.push(duplicate(at, { protocol: port.protocol, port: port.port }));
    return errors;
  });
}

function portsText(ports: readonly V1ServicePort[] | undefined): string {
  const texts = (ports ?? []).map(({ port, nodePort, protocol }) => `${port}${nodePort === undefined ? '' : `:${nodePort}`}/${protocol}`);
  return texts.length === 0 ? '<none>' : texts.join(',');
}
