import type { V1EndpointSubset } from '@kubernetes/client-node';
import type { ApiObject } from '../../api-object.ts';
import { AGE, NAME, text } from '../../printing/common-columns.ts';
import { required, type FieldError } from '../../validation/field-error.ts';
import { defineResource } from '../define-resource.ts';

const SHOWN = 3;

export const ENDPOINTS = defineResource({
  group: '',
  version: 'v1',
  plural: 'endpoints',
  singular: 'endpoints',
  kind: 'Endpoints',
  shortNames: ['ep'],
  columns: [NAME, text('Endpoints', (endpoints) => endpointsText(subsetsOf(endpoints))), AGE],
  strategy: {
    setDefaults: (draft) => {
      for (const subset of subsetsOf(draft)) for (const port of subset.ports ?? []) port.protocol ??= 'TCP';
    },
    validate: (endpoints) => subsetsOf(endpoints).flatMap(validateSubset),
  },
});

function subsetsOf(endpoints: ApiObject): V1EndpointSubset[] {
  return (endpoints['subsets'] ?? []) as V1EndpointSubset[];
}

/** Loopback addresses, which Kubernetes refuses, are what Pods have in this cluster. */
function validateSubset(subset: V1EndpointSubset, index: number): FieldError[] {
  const at = `subsets[${index}]`;
  const addresses = [...(subset.addresses ?? []), ...(subset.notReadyAddresses ?? [])];
  return [
    ...(addresses.length === 0 ? [required(at, 'must specify `addresses` or `notReadyAddresses`')] : []),
    ...addresses.flatMap(({ ip }, position) => ((ip ?? '') === '' ? [required(`${at}.addresses[${position}].ip`)] : [])),
  ];
}

function endpointsText(subsets: readonly V1EndpointSubset[]): string {
  const all = subsets.flatMap(({ addresses = [], ports = [] }) =>
    ports.length === 0 ? addresses.map(({ ip }) => ip) : ports.flatMap(({ port }) => addresses.map(({ ip }) => `${ip}:${port}`)),
  );
  if (all.length === 0) return '<none>';
  return all.length > SHOWN ? `${all.slice(0, SHOWN).join(',')} + ${all.length - SHOWN} more...` : all.join(',');
}
