import type { V1PolicyRule } from '@kubernetes/client-node';
import type { ApiObject } from '../../api-object.ts';
import { NAME, text } from '../../printing/common-columns.ts';
import { required, type FieldError } from '../../validation/field-error.ts';
import { pathSegmentFaults } from '../../validation/name-grammar.ts';
import { defineResource } from '../define-resource.ts';
import type { ResourceStrategy } from '../resource-definition.ts';

export const RBAC_GROUP = 'rbac.authorization.k8s.io';

const CREATED_AT = text('Created At', (object) => object.metadata.creationTimestamp ?? '');

const strategy: ResourceStrategy = {
  validateName: pathSegmentFaults,
  setDefaults: (draft) => {
    draft['rules'] ??= null;
  },
  validate: (role) => rulesOf(role).flatMap((rule, index) => validateRule(rule, `rules[${index}]`)),
};

export const ROLE = defineResource({ group: RBAC_GROUP, version: 'v1', plural: 'roles', kind: 'Role', columns: [NAME, CREATED_AT], strategy });

export const CLUSTER_ROLE = defineResource({ group: RBAC_GROUP, version: 'v1', plural: 'clusterroles', kind: 'ClusterRole', namespaced: false, columns: [NAME, CREATED_AT], strategy });

export function rulesOf(role: ApiObject): V1PolicyRule[] {
  return (role['rules'] ?? []) as V1PolicyRule[];
}

function validateRule(rule: V1PolicyRule, field: string): FieldError[] {
  const errors: FieldError[] = [];
  if ((rule.verbs ?? []).length === 0) errors.push(required(`${field}.verbs`, 'verbs must contain at least one value'));
  if ((rule.nonResourceURLs ?? []).length > 0) {
    if ((rule.apiGroups ?? []).length > 0 || (rule.resources ?? []).length > 0 || (rule.resourceNames ?? []).length > 0) {
      errors.push({ reason: 'FieldValueInvalid', field: `${field}.nonResourceURLs`, message: `Invalid value: ${JSON.stringify(rule.nonResourceURLs)}: rules cannot apply to both regular resources and non-resource URLs` });
    }
    return errors;
  }
  if ((rule.apiGroups ?? []).length === 0) errors.push(required(`${field}.apiGroups`, 'resource rules must supply at least one api group'));
  if ((rule.resources ?? []).length === 0) errors.push(required(`${field}.resources`, 'resource rules must supply at least one resource'));
  return errors;
}
