import { isDeepStrictEqual } from 'node:util';
import type { RbacV1Subject, V1RoleRef } from '@kubernetes/client-node';
import type { ApiObject } from '../../api-object.ts';
import { AGE, NAME, text } from '../../printing/common-columns.ts';
import { invalid, notSupported, required, type FieldError } from '../../validation/field-error.ts';
import { pathSegmentFaults } from '../../validation/name-grammar.ts';
import { defineResource } from '../define-resource.ts';
import type { PrinterColumn } from '../../printing/printer-column.ts';
import type { ResourceStrategy } from '../resource-definition.ts';
import { RBAC_GROUP } from './roles.ts';

const SUBJECT_KINDS = ['Group', 'ServiceAccount', 'User'];

const columns: readonly PrinterColumn[] = [
  NAME,
  text('Role', (binding) => `${roleRefOf(binding).kind}/${roleRefOf(binding).name}`),
  AGE,
  text('Users', (binding) => subjectNames(binding, 'User'), 1),
  text('Groups', (binding) => subjectNames(binding, 'Group'), 1),
  text('ServiceAccounts', (binding) => subjectNames(binding, 'ServiceAccount'), 1),
];

export const ROLE_BINDING = defineResource({ group: RBAC_GROUP, version: 'v1', plural: 'rolebindings', kind: 'RoleBinding', columns, strategy: bindingStrategy(['ClusterRole', 'Role'], true) });

export const CLUSTER_ROLE_BINDING = defineResource({
  group: RBAC_GROUP,
  version: 'v1',
  plural: 'clusterrolebindings',
  kind: 'ClusterRoleBinding',
  namespaced: false,
  columns,
  strategy: bindingStrategy(['ClusterRole'], false),
});

export function roleRefOf(binding: ApiObject): V1RoleRef {
  return (binding['roleRef'] ?? {}) as V1RoleRef;
}

export function subjectsOf(binding: ApiObject): RbacV1Subject[] {
  return (binding['subjects'] ?? []) as RbacV1Subject[];
}

function bindingStrategy(roleKinds: readonly string[], namespaced: boolean): ResourceStrategy {
  return {
    validateName: pathSegmentFaults,
    setDefaults: (draft) => {
      const reference = (draft['roleRef'] ??= {}) as V1RoleRef;
      reference.apiGroup ||= RBAC_GROUP;
      for (const subject of subjectsOf(draft)) {
        if (subject.kind === 'User' || subject.kind === 'Group') subject.apiGroup ||= RBAC_GROUP;
      }
    },
    validate: (binding) => [...validateRoleRef(roleRefOf(binding), roleKinds), ...subjectsOf(binding).flatMap((subject, index) => validateSubject(subject, `subjects[${index}]`, namespaced))],
    validateUpdate: (binding, previous) => (isDeepStrictEqual(binding['roleRef'], previous['roleRef']) ? [] : [invalid('roleRef', binding['roleRef'], 'cannot change roleRef')]),
  };
}

function validateRoleRef(reference: V1RoleRef, kinds: readonly string[]): FieldError[] {
  return [
    ...(reference.apiGroup === RBAC_GROUP ? [] : [notSupported('roleRef.apiGroup', reference.apiGroup, [RBAC_GROUP])]),
    ...(kinds.includes(reference.kind) ? [] : [notSupported('roleRef.kind', reference.kind ?? '', kinds)]),
    ...((reference.name ?? '') === '' ? [required('roleRef.name')] : pathSegmentFaults(reference.name).map((fault) => invalid('roleRef.name', reference.name, fault))),
  ];
}

function validateSubject(subject: RbacV1Subject, field: string, namespaced: boolean): FieldError[] {
  const errors: FieldError[] = [];
  if ((subject.name ?? '') === '') errors.push(required(`${field}.name`));
  if (!SUBJECT_KINDS.includes(subject.kind)) return [...errors, notSupported(`${field}.kind`, subject.kind ?? '', SUBJECT_KINDS)];
  const group = subject.kind === 'ServiceAccount' ? '' : RBAC_GROUP;
  if ((subject.apiGroup ?? '') !== group) errors.push(notSupported(`${field}.apiGroup`, subject.apiGroup ?? '', [group]));
  if (subject.kind === 'ServiceAccount' && !namespaced && (subject.namespace ?? '') === '') errors.push(required(`${field}.namespace`));
  return errors;
}

function subjectNames(binding: ApiObject, kind: string): string {
  return subjectsOf(binding)
    .filter((subject) => subject.kind === kind)
    .map((subject) => (kind === 'ServiceAccount' ? `${subject.namespace}/${subject.name}` : subject.name))
    .join(', ');
}
