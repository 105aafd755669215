import { isDeepStrictEqual } from 'node:util';
import type { V1PodSpec, V1PodStatus } from '@kubernetes/client-node';
import type { ApiObject } from '../../api-object.ts';
import { forbiddenField, type FieldError } from '../../validation/field-error.ts';
import { podColumns } from '../../printing/workload-columns.ts';
import { defineResource } from '../define-resource.ts';
import { statusSubresource } from '../status-subresource.ts';
import { mirrorServiceAccountName, setPodSpecDefaults } from './pod-spec-defaults.ts';
import { validatePodSpec } from './pod-spec-validation.ts';
import { qosClassOf } from './quality-of-service.ts';
import { admitServiceAccount } from './service-account-admission.ts';
import { admitPriorityAndTolerations } from './priority-and-tolerations.ts';

const IMMUTABLE =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

export const POD = defineResource({
  group: '',
  version: 'v1',
  plural: 'pods',
  kind: 'Pod',
  shortNames: ['po'],
  categories: ['all'],
  hasStatus: true,
  subresources: [
    statusSubresource('Pod'),
    { name: 'binding', verbs: ['create'], kind: 'Binding' },
    { name: 'eviction', verbs: ['create'], kind: 'Eviction', group: 'policy', version: 'v1' },
    { name: 'exec', verbs: ['create', 'get'], kind: 'PodExecOptions' },
    { name: 'log', verbs: ['get'], kind: 'Pod' },
  ],
  columns: podColumns,
  strategy: {
    tracksGeneration: true,
    returnsDeletedObject: true,
    setDefaults,
    prepareForCreate: (draft, context) => {
      admitServiceAccount(draft, context);
      admitPriorityAndTolerations(draft);
      const spec = draft['spec'] as V1PodSpec;
      mirrorServiceAccountName(spec);
      draft['status'] = { phase: 'Pending', qosClass: qosClassOf(spec) };
    },
    validate: (pod) => validatePodSpec(pod['spec'] as V1PodSpec, 'spec'),
    validateUpdate,
    selectableFields: (pod) => {
      const spec = (pod['spec'] ?? {}) as V1PodSpec;
      const status = (pod['status'] ?? {}) as V1PodStatus;
      return {
        'spec.nodeName': spec.nodeName ?? '',
        'spec.restartPolicy': spec.restartPolicy ?? '',
        'spec.schedulerName': spec.schedulerName ?? '',
        'spec.serviceAccountName': spec.serviceAccountName ?? '',
        'spec.hostNetwork': String(spec.hostNetwork ?? false),
        'status.phase': status.phase ?? '',
        'status.podIP': status.podIP ?? '',
        'status.nominatedNodeName': status.nominatedNodeName ?? '',
      };
    },
  },
});

function setDefaults(draft: ApiObject): void {
  const spec = (draft['spec'] ??= {}) as V1PodSpec;
  setPodSpecDefaults(spec);
  spec.enableServiceLinks ??= true;
  for (const container of [...(spec.initContainers ?? []), ...(spec.containers ?? [])]) {
    const { limits, requests } = container.resources ?? {};
    if (container.resources !== undefined && limits !== undefined) container.resources.requests = { ...limits, ...requests };
  }
}

/** A Pod is what it was made to be: only images, deadlines and further tolerations may change. */
function validateUpdate(pod: ApiObject, previous: ApiObject): FieldError[] {
  const [now, before] = [fixedPartOf(pod), fixedPartOf(previous)];
  return isDeepStrictEqual(now, before) ? [] : [forbiddenField('spec', IMMUTABLE)];
}

function fixedPartOf(pod: ApiObject): unknown {
  const spec = structuredClone(pod['spec']) as V1PodSpec & { activeDeadlineSeconds?: number };
  for (const container of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) delete container.image;
  delete spec.activeDeadlineSeconds;
  delete spec.tolerations;
  return JSON.parse(JSON.stringify(spec));
}
