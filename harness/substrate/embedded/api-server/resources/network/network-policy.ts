import type { V1NetworkPolicyPeer, V1NetworkPolicyPort, V1NetworkPolicySpec } from '@kubernetes/client-node';
import type { ApiObject } from '../../api-object.ts';
import { AGE, NAME, part, selectorText, text } from '../../printing/common-columns.ts';
import { forbiddenField, invalid, notSupported, required, type FieldError } from '../../validation/field-error.ts';
import { validateLabelSelector } from '../../validation/label-selector-validation.ts';
import { defineResource } from '../define-resource.ts';

const CIDR = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)\/(?:3[0-2]|[12]?\d)$|^[0-9a-fA-F:]+\/(?:12[0-8]|1[01]\d|\d{1,2})$/;

export const NETWORK_POLICY = defineResource({
  group: 'networking.k8s.io',
  version: 'v1',
  plural: 'networkpolicies',
  kind: 'NetworkPolicy',
  shortNames: ['netpol'],
  columns: [NAME, text('Pod-Selector', (policy) => selectorText(part<V1NetworkPolicySpec>(policy, 'spec').podSelector)), AGE],
  strategy: { tracksGeneration: true, setDefaults, validate },
});

function setDefaults(draft: ApiObject): void {
  const spec = (draft['spec'] ??= {}) as V1NetworkPolicySpec;
  spec.podSelector ??= {};
  spec.policyTypes ??= (spec.egress ?? []).length > 0 ? ['Ingress', 'Egress'] : ['Ingress'];
  for (const rule of [...(spec.ingress ?? []), ...(spec.egress ?? [])]) for (const port of rule.ports ?? []) port.protocol ??= 'TCP';
}

function validate(policy: ApiObject): FieldError[] {
  const spec = policy['spec'] as V1NetworkPolicySpec;
  const types = spec.policyTypes ?? [];
  return [
    ...validateLabelSelector(spec.podSelector, 'spec.podSelector'),
    ...(spec.ingress ?? []).flatMap((rule, index) => [...validatePeers(rule._from ?? (rule as { from?: V1NetworkPolicyPeer[] }).from, `spec.ingress[${index}].from`), ...validatePorts(rule.ports, `spec.ingress[${index}].ports`)]),
    ...(spec.egress ?? []).flatMap((rule, index) => [...validatePeers(rule.to, `spec.egress[${index}].to`), ...validatePorts(rule.ports, `spec.egress[${index}].ports`)]),
    ...types.flatMap((type, index) => (type === 'Ingress' || type === 'Egress' ? [] : [notSupported(`spec.policyTypes[${index}]`, type, ['Egress', 'Ingress'])])),
  ];
}

function validatePeers(peers: readonly V1NetworkPolicyPeer[] | undefined, field: string): FieldError[] {
  return (peers ?? []).flatMap((peer, index) => {
    const at = `${field}[${index}]`;
    const errors: FieldError[] = [];
    if (Object.keys(peer).length === 0) errors.push(required(at, 'must specify a peer'));
    if (peer.ipBlock === undefined) return errors;
    if (peer.podSelector !== undefined || peer.namespaceSelector !== undefined) errors.push(forbiddenField(at, 'may not specify both ipBlock and another peer'));
    if ((peer.ipBlock.cidr ?? '') === '') errors.push(required(`${at}.ipBlock.cidr`));
    else if (!CIDR.test(peer.ipBlock.cidr)) errors.push(invalid(`${at}.ipBlock.cidr`, peer.ipBlock.cidr, 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'));
    return errors;
  });
}

function validatePorts(ports: readonly V1NetworkPolicyPort[] | undefined, field: string): FieldError[] {
  return (ports ?? []).flatMap(({ port, endPort, protocol }, index) => {
    const at = `${field}[${index}]`;
    const errors: FieldError[] = [];
    if (!['TCP', 'UDP', 'SCTP'].includes(protocol ?? 'TCP')) errors.push(notSupported(`${at}.protocol`, protocol, ['SCTP', 'TCP', 'UDP']));
    if (typeof port === 'number' && (port < 1 || port > 65_535)) errors.push(invalid(`${at}.port`, port, 'must be between 1 and 65535, inclusive'));
    if (endPort !== undefined && typeof port !== 'number') errors.push(required(`${at}.port`, 'must be specified as a number when `endPort` is specified'));
    else if (endPort !== undefined && endPort < Number(port)) errors.push(invalid(`${at}.endPort`, endPort, 'must be greater than or equal to `port`'));
    return errors;
  });
}
