import { isDeepStrictEqual } from 'node:util';
import type { V1DeploymentSpec } from '@kubernetes/client-node';
import type { ApiObject } from '../../api-object.ts';
import { deploymentColumns } from '../../printing/workload-columns.ts';
import { forbiddenField, invalid, notSupported, type FieldError } from '../../validation/field-error.ts';
import { defineResource } from '../define-resource.ts';
import { SCALE_SUBRESOURCE, statusSubresource } from '../status-subresource.ts';
import { setPodTemplateDefaults } from './pod-spec-defaults.ts';
import { validateCount, validateReplicatedTemplate } from './pod-template-validation.ts';

export const DEPLOYMENT = defineResource({
  group: 'apps',
  version: 'v1',
  plural: 'deployments',
  kind: 'Deployment',
  shortNames: ['deploy'],
  categories: ['all'],
  hasStatus: true,
  subresources: [statusSubresource('Deployment'), SCALE_SUBRESOURCE],
  columns: deploymentColumns,
  strategy: {
    tracksGeneration: true,
    setDefaults,
    prepareForCreate: (draft) => {
      draft['status'] = {};
    },
    validate,
    validateUpdate,
  },
});

function setDefaults(draft: ApiObject): void {
  const spec = (draft['spec'] ??= {}) as V1DeploymentSpec;
  spec.replicas ??= 1;
  spec.strategy ??= {};
  spec.strategy.type ||= 'RollingUpdate';
  if (spec.strategy.type === 'RollingUpdate') {
    spec.strategy.rollingUpdate ??= {};
    spec.strategy.rollingUpdate.maxUnavailable ??= '25%';
    spec.strategy.rollingUpdate.maxSurge ??= '25%';
  }
  spec.revisionHistoryLimit ??= 10;
  spec.progressDeadlineSeconds ??= 600;
  setPodTemplateDefaults((spec.template ??= {}));
}

function validate(deployment: ApiObject): FieldError[] {
  const spec = deployment['spec'] as V1DeploymentSpec;
  const errors = [...validateCount(spec.replicas, 'spec.replicas'), ...validateReplicatedTemplate(spec.selector, spec.template), ...validateStrategy(spec)];
  errors.push(...validateCount(spec.minReadySeconds, 'spec.minReadySeconds'), ...validateCount(spec.revisionHistoryLimit, 'spec.revisionHistoryLimit'));
  if (spec.progressDeadlineSeconds !== undefined && spec.progressDeadlineSeconds <= (spec.minReadySeconds ?? 0)) {
    errors.push(invalid('spec.progressDeadlineSeconds', spec.progressDeadlineSeconds, 'must be greater than minReadySeconds'));
  }
  return errors;
}

function validateStrategy({ strategy }: V1DeploymentSpec): FieldError[] {
  if (strategy?.type === 'Recreate') {
    return strategy.rollingUpdate === undefined ? [] : [forbiddenField('spec.strategy.rollingUpdate', "may not be specified when strategy `type` is 'Recreate'")];
  }
  if (strategy?.type !== 'RollingUpdate') return [notSupported('spec.strategy', { Type: strategy?.type, RollingUpdate: strategy?.rollingUpdate ?? null }, ['Recreate', 'RollingUpdate'])];
  const { maxSurge, maxUnavailable } = strategy.rollingUpdate ?? {};
  const errors = [...validateShare(maxUnavailable, 'spec.strategy.rollingUpdate.maxUnavailable'), ...validateShare(maxSurge, 'spec.strategy.rollingUpdate.maxSurge')];
  if (isZero(maxSurge) && isZero(maxUnavailable)) {
    errors.push(invalid('spec.strategy.rollingUpdate.maxUnavailable', maxUnavailable, 'may not be 0 when `maxSurge` is 0'));
  }
  return errors;
}

function validateShare(value: unknown, field: string): FieldError[] {
  if (typeof value === 'number') return validateCount(value, field);
  if (typeof value !== 'string' || /^\d+%$/.test(value)) return [];
  return [invalid(field, value, "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')")];
}

function isZero(value: unknown): boolean {
  return value === 0 || value === '0%';
}

function validateUpdate(deployment: ApiObject, previous: ApiObject): FieldError[] {
  const selector = (deployment['spec'] as V1DeploymentSpec).selector;
  return isDeepStrictEqual(selector, (previous['spec'] as V1DeploymentSpec).selector) ? [] : [invalid('spec.selector', selector, 'field is immutable')];
}
