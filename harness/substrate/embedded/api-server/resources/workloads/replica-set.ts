import { isDeepStrictEqual } from 'node:util';
import type { V1ReplicaSetSpec, V1ReplicaSetStatus } from '@kubernetes/client-node';
import type { ApiObject } from '../../api-object.ts';
import { replicaSetColumns } from '../../printing/workload-columns.ts';
import { invalid, type FieldError } from '../../validation/field-error.ts';
import { defineResource } from '../define-resource.ts';
import { SCALE_SUBRESOURCE, statusSubresource } from '../status-subresource.ts';
import { setPodTemplateDefaults } from './pod-spec-defaults.ts';
import { validateCount, validateReplicatedTemplate } from './pod-template-validation.ts';

export const REPLICA_SET = defineResource({
  group: 'apps',
  version: 'v1',
  plural: 'replicasets',
  kind: 'ReplicaSet',
  shortNames: ['rs'],
  categories: ['all'],
  hasStatus: true,
  subresources: [statusSubresource('ReplicaSet'), SCALE_SUBRESOURCE],
  columns: replicaSetColumns,
  strategy: {
    tracksGeneration: true,
    setDefaults,
    prepareForCreate: (draft) => {
      draft['status'] = { replicas: 0 };
    },
    validate,
    validateUpdate,
    selectableFields: (replicaSet) => ({ 'status.replicas': String((replicaSet['status'] as V1ReplicaSetStatus | undefined)?.replicas ?? 0) }),
  },
});

function setDefaults(draft: ApiObject): void {
  const spec = (draft['spec'] ??= {}) as V1ReplicaSetSpec;
  spec.replicas ??= 1;
  setPodTemplateDefaults((spec.template ??= {}));
}

function validate(replicaSet: ApiObject): FieldError[] {
  const spec = replicaSet['spec'] as V1ReplicaSetSpec;
  return [...validateCount(spec.replicas, 'spec.replicas'), ...validateCount(spec.minReadySeconds, 'spec.minReadySeconds'), ...validateReplicatedTemplate(spec.selector, spec.template)];
}

function validateUpdate(replicaSet: ApiObject, previous: ApiObject): FieldError[] {
  const { selector } = replicaSet['spec'] as V1ReplicaSetSpec;
  return isDeepStrictEqual(selector, (previous['spec'] as V1ReplicaSetSpec).selector) ? [] : [invalid('spec.selector', selector, 'field is immutable')];
}
