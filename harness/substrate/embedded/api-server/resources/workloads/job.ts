import { isDeepStrictEqual } from 'node:util';
import type { V1JobSpec, V1JobStatus } from '@kubernetes/client-node';
import type { ApiObject } from '../../api-object.ts';
import { jobColumns } from '../../printing/workload-columns.ts';
import { invalid, notSupported, required, type FieldError } from '../../validation/field-error.ts';
import { isEmptySelector, selectorMatches } from '../../validation/label-selector-validation.ts';
import { defineResource } from '../define-resource.ts';
import { statusSubresource } from '../status-subresource.ts';
import { setPodTemplateDefaults } from './pod-spec-defaults.ts';
import { validateCount, validatePodTemplate } from './pod-template-validation.ts';

const CONTROLLER_UID = 'batch.kubernetes.io/controller-uid';
const JOB_NAME = 'batch.kubernetes.io/job-name';

export const JOB = defineResource({
  group: 'batch',
  version: 'v1',
  plural: 'jobs',
  kind: 'Job',
  categories: ['all'],
  hasStatus: true,
  subresources: [statusSubresource('Job')],
  columns: jobColumns,
  strategy: {
    tracksGeneration: true,
    setDefaults,
    prepareForCreate: (draft) => {
      selectOwnPods(draft);
      // Labels that are missing are those of the template, also the ones that were just added.
      draft.metadata.labels = Object.keys(draft.metadata.labels ?? {}).length > 0 ? (draft.metadata.labels as Record<string, string>) : { ...(draft['spec'] as V1JobSpec).template.metadata?.labels };
      draft['status'] = {};
    },
    validate,
    validateUpdate,
    selectableFields: (job) => ({ 'status.successful': String((job['status'] as V1JobStatus | undefined)?.succeeded ?? 0) }),
    // batch/v1 has kept the habit of its first version: without a policy the Pods stay.
    defaultPropagation: 'Orphan',
  },
});

function setDefaults(draft: ApiObject): void {
  const spec = (draft['spec'] ??= {}) as V1JobSpec;
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
  spec.backoffLimit ??= 6;
  spec.completionMode ??= 'NonIndexed';
  spec.suspend ??= false;
  spec.podReplacementPolicy ??= spec.podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed';
  setPodTemplateDefaults((spec.template ??= {}));
}

/** A Job finds its Pods by its own uid, unless its author has taken that on. */
function selectOwnPods(draft: ApiObject): void {
  const spec = draft['spec'] as V1JobSpec;
  if (spec.manualSelector === true) return;
  const uid = draft.metadata.uid as string;
  const name = draft.metadata.name as string;
  const metadata = (spec.template.metadata ??= {});
  metadata.labels = { ...metadata.labels, [CONTROLLER_UID]: uid, [JOB_NAME]: name, 'controller-uid': uid, 'job-name': name };
  spec.selector ??= {};
  spec.selector.matchLabels = { ...spec.selector.matchLabels, [CONTROLLER_UID]: uid };
}

function validate(job: ApiObject): FieldError[] {
  const spec = job['spec'] as V1JobSpec;
  const errors = (['parallelism', 'completions', 'backoffLimit', 'ttlSecondsAfterFinished', 'activeDeadlineSeconds'] as const).flatMap((field) => validateCount(spec[field], `spec.${field}`));
  if (spec.selector === undefined || isEmptySelector(spec.selector)) errors.push(required('spec.selector'));
  else if (!selectorMatches(spec.selector, spec.template.metadata?.labels)) {
    errors.push(invalid('spec.template.metadata.labels', spec.template.metadata?.labels ?? null, '`selector` does not match template `labels`'));
  }
  errors.push(...validatePodTemplate(spec.template, 'spec.template'));
  const restartPolicy = spec.template.spec?.restartPolicy;
  if (restartPolicy !== 'OnFailure' && restartPolicy !== 'Never') {
    errors.push(
      restartPolicy === 'Always'
        ? required('spec.template.spec.restartPolicy', 'valid values: "OnFailure", "Never"')
        : notSupported('spec.template.spec.restartPolicy', restartPolicy, ['OnFailure', 'Never']),
    );
  }
  return errors;
}

function validateUpdate(job: ApiObject, previous: ApiObject): FieldError[] {
  const [spec, before] = [job['spec'] as V1JobSpec, previous['spec'] as V1JobSpec];
  const mutable = before.suspend === true && (previous['status'] as V1JobStatus | undefined)?.startTime === undefined;
  const errors: FieldError[] = [];
  for (const field of ['completions', 'selector', 'completionMode', 'podFailurePolicy'] as const) {
    if (!isDeepStrictEqual(spec[field], before[field])) errors.push(invalid(`spec.${field}`, spec[field] ?? null, 'field is immutable'));
  }
  if (!mutable && !isDeepStrictEqual(spec.template, before.template)) errors.push(invalid('spec.template', spec.template, 'field is immutable'));
  return errors;
}
