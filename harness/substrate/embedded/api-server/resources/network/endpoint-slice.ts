import type { DiscoveryV1EndpointPort, V1Endpoint } from '@kubernetes/client-node';
import type { ApiObject } from '../../api-object.ts';
import { AGE, NAME, text } from '../../printing/common-columns.ts';
import { notSupported, required, type FieldError } from '../../validation/field-error.ts';
import { defineResource } from '../define-resource.ts';

const ADDRESS_TYPES = ['FQDN', 'IPv4', 'IPv6'];

export const ENDPOINT_SLICE = defineResource({
  group: 'discovery.k8s.io',
  version: 'v1',
  plural: 'endpointslices',
  kind: 'EndpointSlice',
  columns: [
    NAME,
    text('AddressType', (slice) => (slice['addressType'] as string | undefined) ?? ''),
    text('Ports', (slice) => portsOf(slice).map(({ port }) => String(port ?? '*')).join(',') || '<unset>'),
    text('Endpoints', (slice) => endpointsOf(slice).flatMap(({ addresses }) => addresses).join(',') || '<unset>'),
    AGE,
  ],
  strategy: {
    tracksGeneration: true,
    setDefaults: (draft) => {
      for (const port of portsOf(draft)) {
        port.name ??= '';
        port.protocol ??= 'TCP';
      }
    },
    validate,
  },
});

function portsOf(slice: ApiObject): DiscoveryV1EndpointPort[] {
  return (slice['ports'] ?? []) as DiscoveryV1EndpointPort[];
}

function endpointsOf(slice: ApiObject): V1Endpoint[] {
  return (slice['endpoints'] ?? []) as V1Endpoint[];
}

function validate(slice: ApiObject): FieldError[] {
  const type = slice['addressType'] as string | undefined;
  return [
    ...(type === undefined ? [required('addressType')] : ADDRESS_TYPES.includes(type) ? [] : [notSupported('addressType', type, ADDRESS_TYPES)]),
    ...endpointsOf(slice).flatMap(({ addresses }, index) => ((addresses ?? []).length === 0 ? [required(`endpoints[${index}].addresses`, 'must contain at least 1 address')] : [])),
  ];
}
