import type { V1PolicyRule } from '@kubernetes/client-node';
import type { AccessAttributes } from './access-attributes.ts';

/** Whether one rule of a role covers a request. */
export function ruleAllows(rule: V1PolicyRule, attributes: AccessAttributes): boolean {
  if (!includes(rule.verbs, attributes.verb)) return false;
  if (!attributes.isResourceRequest) return (rule.nonResourceURLs ?? []).some((pattern) => pathMatches(pattern, attributes.path));
  return (
    includes(rule.apiGroups, attributes.group) &&
    resourceMatches(rule.resources ?? [], attributes.resource, attributes.subresource) &&
    ((rule.resourceNames ?? []).length === 0 || (rule.resourceNames ?? []).includes(attributes.name))
  );
}

function includes(granted: readonly string[] | undefined, wanted: string): boolean {
  return (granted ?? []).some((entry) => entry === '*' || entry === wanted);
}

function resourceMatches(granted: readonly string[], resource: string, subresource: string): boolean {
  const combined = subresource === '' ? resource : `${resource}/${subresource}`;
  return granted.some((entry) => entry === '*' || entry === combined || (subresource !== '' && entry === `*/${subresource}`));
}

function pathMatches(pattern: string, path: string): boolean {
  return pattern === '*' || pattern === path || (pattern.endsWith('*') && path.startsWith(pattern.replace(/\*+$/, '')));
}
