import type { V1LabelSelector, V1PodTemplateSpec } from '@kubernetes/client-node';
import { invalid, notSupported, required, type FieldError } from '../../validation/field-error.ts';
import { isEmptySelector, selectorMatches, validateLabelSelector } from '../../validation/label-selector-validation.ts';
import { validateAnnotations, validateLabels } from '../../validation/metadata-validation.ts';
import { validatePodSpec } from './pod-spec-validation.ts';

export function validatePodTemplate(template: V1PodTemplateSpec | undefined, field: string): FieldError[] {
  return [
    ...validateLabels(template?.metadata?.labels, `${field}.metadata.labels`),
    ...validateAnnotations(template?.metadata?.annotations, `${field}.metadata.annotations`),
    ...validatePodSpec(template?.spec, `${field}.spec`),
  ];
}

/** What Deployments and ReplicaSets ask of their selector and template: that they belong together, and that Pods run for ever. */
export function validateReplicatedTemplate(selector: V1LabelSelector | undefined, template: V1PodTemplateSpec | undefined): FieldError[] {
  const errors = validateLabelSelector(selector, 'spec.selector');
  if (selector === undefined) errors.push(required('spec.selector'));
  else if (isEmptySelector(selector)) errors.push(invalid('spec.selector', selector, 'empty selector is invalid for deployment'));
  if (selector === undefined || !selectorMatches(selector, template?.metadata?.labels)) {
    errors.push(invalid('spec.template.metadata.labels', template?.metadata?.labels ?? null, '`selector` does not match template `labels`'));
  }
  errors.push(...validatePodTemplate(template, 'spec.template'));
  const restartPolicy = template?.spec?.restartPolicy ?? 'Always';
  if (restartPolicy !== 'Always') errors.push(notSupported('spec.template.spec.restartPolicy', restartPolicy, ['Always']));
  if (template?.spec?.activeDeadlineSeconds !== undefined) {
    errors.push({ reason: 'FieldValueForbidden', field: 'spec.template.spec.activeDeadlineSeconds', message: 'Forbidden: activeDeadlineSeconds in ReplicaSet is not Supported' });
  }
  return errors;
}

export function validateCount(value: number | undefined, field: string): FieldError[] {
  return value !== undefined && value < 0 ? [invalid(field, value, 'must be greater than or equal to 0')] : [];
}
