import { isDeepStrictEqual } from 'node:util';
import type { V1PersistentVolumeSpec, V1PersistentVolumeStatus } from '@kubernetes/client-node';
import type { ApiObject } from '../../api-object.ts';
import { AGE, NAME, part, text } from '../../printing/common-columns.ts';
import { forbiddenField, notSupported, required, type FieldError } from '../../validation/field-error.ts';
import { defineResource } from '../define-resource.ts';
import { statusSubresource } from '../status-subresource.ts';
import { ACCESS_MODES, accessModesText } from './access-modes.ts';

const NOT_A_SOURCE = new Set(['accessModes', 'capacity', 'claimRef', 'mountOptions', 'nodeAffinity', 'persistentVolumeReclaimPolicy', 'storageClassName', 'volumeAttributesClassName', 'volumeMode']);
const RECLAIM_POLICIES = ['Delete', 'Recycle', 'Retain'];

export const PERSISTENT_VOLUME = defineResource({
  group: '',
  version: 'v1',
  plural: 'persistentvolumes',
  kind: 'PersistentVolume',
  namespaced: false,
  shortNames: ['pv'],
  hasStatus: true,
  subresources: [statusSubresource('PersistentVolume')],
  columns: [
    NAME,
    text('Capacity', (volume) => specOf(volume).capacity?.['storage'] ?? ''),
    text('Access Modes', (volume) => accessModesText(specOf(volume).accessModes)),
    text('Reclaim Policy', (volume) => specOf(volume).persistentVolumeReclaimPolicy ?? ''),
    text('Status', (volume) => (volume.metadata.deletionTimestamp === undefined ? (part<V1PersistentVolumeStatus>(volume, 'status').phase ?? '') : 'Terminating')),
    text('Claim', (volume) => {
      const claim = specOf(volume).claimRef;
      return claim === undefined ? '' : `${claim.namespace}/${claim.name}`;
    }),
    text('StorageClass', (volume) => specOf(volume).storageClassName ?? ''),
    text('VolumeAttributesClass', (volume) => specOf(volume).volumeAttributesClassName ?? '<unset>'),
    text('Reason', (volume) => part<V1PersistentVolumeStatus>(volume, 'status').reason ?? ''),
    AGE,
    text('VolumeMode', (volume) => specOf(volume).volumeMode ?? '<unset>', 1),
  ],
  strategy: {
    returnsDeletedObject: true,
    setDefaults: (draft) => {
      const spec = (draft['spec'] ??= {}) as V1PersistentVolumeSpec;
      spec.persistentVolumeReclaimPolicy ??= 'Retain';
      spec.volumeMode ??= 'Filesystem';
      if (spec.hostPath !== undefined) spec.hostPath.type ??= '';
    },
    prepareForCreate: (draft) => {
      draft['status'] = { phase: 'Pending' };
    },
    validate,
    validateUpdate: (volume, previous) =>
      isDeepStrictEqual(sourceOf(volume), sourceOf(previous)) ? [] : [forbiddenField('spec.persistentvolumesource', 'spec.persistentvolumesource is immutable after creation')],
  },
});

function specOf(volume: ApiObject): Partial<V1PersistentVolumeSpec> {
  return part<V1PersistentVolumeSpec>(volume, 'spec');
}

function sourceOf(volume: ApiObject): Record<string, unknown> {
  return Object.fromEntries(Object.entries(specOf(volume)).filter(([field]) => !NOT_A_SOURCE.has(field)));
}

function validate(volume: ApiObject): FieldError[] {
  const spec = specOf(volume);
  const errors: FieldError[] = [];
  if ((spec.accessModes ?? []).length === 0) errors.push(required('spec.accessModes'));
  for (const mode of spec.accessModes ?? []) if (!ACCESS_MODES.includes(mode)) errors.push(notSupported('spec.accessModes', mode, ACCESS_MODES));
  if (Object.keys(spec.capacity ?? {}).length === 0) errors.push(required('spec.capacity'));
  else if (spec.capacity?.['storage'] === undefined) errors.push(notSupported('spec.capacity', Object.keys(spec.capacity ?? {}), ['storage']));
  const sources = Object.keys(sourceOf(volume));
  if (sources.length === 0) errors.push(required('spec', 'must specify a volume type'));
  for (const source of sources.slice(1)) errors.push(forbiddenField(`spec.${source}`, 'may not specify more than 1 volume type'));
  if (!RECLAIM_POLICIES.includes(spec.persistentVolumeReclaimPolicy ?? '')) errors.push(notSupported('spec.persistentVolumeReclaimPolicy', spec.persistentVolumeReclaimPolicy, RECLAIM_POLICIES));
  if (spec.local !== undefined && spec.nodeAffinity === undefined) errors.push(required('spec.nodeAffinity', 'Local volume requires node affinity'));
  return errors;
}
