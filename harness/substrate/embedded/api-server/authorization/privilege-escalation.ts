import { isDeepStrictEqual } from 'node:util';
import type { V1PolicyRule } from '@kubernetes/client-node';
import type { ApiMachinery } from '../api-machinery.ts';
import type { ApiObject } from '../api-object.ts';
import { MASTERS, type UserInfo } from '../authentication/user-info.ts';
import { roleRefOf } from '../resources/rbac/role-bindings.ts';
import { RBAC_GROUP, rulesOf } from '../resources/rbac/roles.ts';
import { storageName, type ResourceDefinition } from '../resources/resource-definition.ts';
import { forbidden } from '../status-error.ts';
import type { AccessAttributes } from './access-attributes.ts';

/** Nobody grants more than they hold themselves, unless they may `escalate` roles or `bind` to them. */
export function requireNoEscalation(machinery: ApiMachinery, user: UserInfo, definition: ResourceDefinition, object: ApiObject, namespace: string | null): void {
  if (definition.group !== RBAC_GROUP || user.groups.includes(MASTERS)) return;
  const previous = machinery.store.get(storageName(definition), namespace, object.metadata.name ?? '');
  const binds = definition.kind.endsWith('Binding');
  if (previous !== null && isDeepStrictEqual(granted(previous), granted(object))) return;
  const roleKind = binds ? roleRefOf(object).kind : definition.kind;
  const permission: AccessAttributes = {
    isResourceRequest: true,
    verb: binds ? 'bind' : 'escalate',
    group: RBAC_GROUP,
    version: 'v1',
    resource: `${(roleKind ?? '').toLowerCase()}s`,
    subresource: '',
    namespace: namespace ?? '',
    name: binds ? (roleRefOf(object).name ?? '') : (object.metadata.name ?? ''),
  };
  if (machinery.authorizer.authorize(user, permission).allowed) return;
  const wanted = binds ? machinery.authorizer.rulesReferencedBy({ ...object, metadata: { ...object.metadata, namespace: namespace ?? '' } }) : rulesOf(object);
  const held = [...machinery.authorizer.grantsOf(user, namespace ?? '')].flatMap((grant) => grant.rules);
  const missing = wanted.filter((rule) => !held.some((holding) => covers(holding, rule)) && !isCoveredPiecewise(held, rule));
  if (missing.length === 0) return;
  const groups = user.groups.map((group) => JSON.stringify(group)).join(' ');
  throw forbidden(definition, object.metadata.name ?? '', `user ${JSON.stringify(user.username)} (groups=[${groups}]) is attempting to grant RBAC permissions not currently held:\n${missing.map(ruleText).join('\n')}`);
}

function granted(object: ApiObject): unknown {
  return [object['rules'], object['roleRef'], object['subjects']];
}

function isCoveredPiecewise(held: readonly V1PolicyRule[], rule: V1PolicyRule): boolean {
  return pieces(rule).every((piece) => held.some((holding) => covers(holding, piece)));
}

/** A rule as rules of one verb, group, resource and name each. */
function pieces(rule: V1PolicyRule): V1PolicyRule[] {
  return (rule.verbs ?? []).flatMap((verb): V1PolicyRule[] => {
    if ((rule.nonResourceURLs ?? []).length > 0) return (rule.nonResourceURLs ?? []).map((url) => ({ verbs: [verb], nonResourceURLs: [url] }));
    return (rule.apiGroups ?? []).flatMap((group) =>
      (rule.resources ?? []).flatMap((resource): V1PolicyRule[] => {
        const one = { verbs: [verb], apiGroups: [group], resources: [resource] };
        return (rule.resourceNames ?? []).length === 0 ? [one] : (rule.resourceNames ?? []).map((name) => ({ ...one, resourceNames: [name] }));
      }),
    );
  });
}

function covers(holding: V1PolicyRule, rule: V1PolicyRule): boolean {
  const all = (held: readonly string[] = [], wanted: readonly string[] = []): boolean => held.includes('*') || wanted.every((value) => held.includes(value));
  if ((rule.nonResourceURLs ?? []).length > 0) return all(holding.verbs, rule.verbs) && all(holding.nonResourceURLs, rule.nonResourceURLs);
  if ((holding.resources ?? []).length === 0) return false;
  const names = (holding.resourceNames ?? []).length === 0 || ((rule.resourceNames ?? []).length > 0 && all(holding.resourceNames, rule.resourceNames));
  return names && all(holding.verbs, rule.verbs) && all(holding.apiGroups, rule.apiGroups) && all(holding.resources, rule.resources);
}

function ruleText(rule: V1PolicyRule): string {
  const parts = (['apiGroups', 'resources', 'nonResourceURLs', 'resourceNames', 'verbs'] as const)
    .filter((field) => (rule[field] ?? []).length > 0)
    .map((field) => `${field[0]?.toUpperCase()}${field.slice(1)}:[${(rule[field] ?? []).map((value) => JSON.stringify(value)).join(' ')}]`);
  return `{${parts.join(', ')}}`;
}
