import { isDeepStrictEqual } from 'node:util';
import type { ApiObject } from '../../api-object.ts';
import { AGE, text } from '../../printing/common-columns.ts';
import { forbiddenField, invalid, notSupported, required, type FieldError } from '../../validation/field-error.ts';
import { defineResource } from '../define-resource.ts';

const IS_DEFAULT = 'storageclass.kubernetes.io/is-default-class';

export const STORAGE_CLASS = defineResource({
  group: 'storage.k8s.io',
  version: 'v1',
  plural: 'storageclasses',
  kind: 'StorageClass',
  namespaced: false,
  shortNames: ['sc'],
  columns: [
    { name: 'Name', type: 'string', format: 'name', value: (storageClass) => `${storageClass.metadata.name}${storageClass.metadata.annotations?.[IS_DEFAULT] === 'true' ? ' (default)' : ''}` },
    text('Provisioner', (storageClass) => textOf(storageClass, 'provisioner')),
    text('ReclaimPolicy', (storageClass) => textOf(storageClass, 'reclaimPolicy')),
    text('VolumeBindingMode', (storageClass) => textOf(storageClass, 'volumeBindingMode')),
    text('AllowVolumeExpansion', (storageClass) => (storageClass['allowVolumeExpansion'] === true ? 'true' : 'false')),
    AGE,
  ],
  strategy: {
    returnsDeletedObject: true,
    setDefaults: (draft) => {
      draft['reclaimPolicy'] ??= 'Delete';
      draft['volumeBindingMode'] ??= 'Immediate';
    },
    validate,
    validateUpdate: (storageClass, previous) => [
      ...(['provisioner', 'parameters', 'reclaimPolicy'] as const)
        .filter((field) => !isDeepStrictEqual(storageClass[field], previous[field]))
        .map((field) => forbiddenField(field, `updates to ${field} are forbidden.`)),
      ...(storageClass['volumeBindingMode'] === previous['volumeBindingMode'] ? [] : [invalid('volumeBindingMode', storageClass['volumeBindingMode'], 'field is immutable')]),
    ],
  },
});

function textOf(storageClass: ApiObject, field: string): string {
  return (storageClass[field] as string | undefined) ?? '';
}

function validate(storageClass: ApiObject): FieldError[] {
  return [
    ...((storageClass['provisioner'] ?? '') === '' ? [required('provisioner')] : []),
    ...(['Delete', 'Retain'].includes(textOf(storageClass, 'reclaimPolicy')) ? [] : [notSupported('reclaimPolicy', storageClass['reclaimPolicy'], ['Delete', 'Retain'])]),
    ...(['Immediate', 'WaitForFirstConsumer'].includes(textOf(storageClass, 'volumeBindingMode')) ? [] : [notSupported('volumeBindingMode', storageClass['volumeBindingMode'], ['Immediate', 'WaitForFirstConsumer'])]),
  ];
}
