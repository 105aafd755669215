import type { UserInfo } from '../authentication/user-info.ts';
import type { AccessAttributes } from '../authorization/access-attributes.ts';
import type { PolicyResources, PolicyRule } from './read-audit-policy.ts';

/** As Kubernetes matches a rule: what it does not name, it does not ask about. */
export function ruleMatches(rule: PolicyRule, user: UserInfo | null, attributes: AccessAttributes): boolean {
  if (rule.users.length > 0 && !rule.users.includes(user?.username ?? '')) return false;
  if (rule.userGroups.length > 0 && !(user?.groups ?? []).some((group) => rule.userGroups.includes(group))) return false;
  if (rule.verbs.length > 0 && !rule.verbs.includes(attributes.verb)) return false;
  if (rule.namespaces.length > 0 || rule.resources.length > 0) return matchesResource(rule, attributes);
  if (rule.nonResourceURLs.length > 0) return !attributes.isResourceRequest && rule.nonResourceURLs.some((pattern) => matchesPath(pattern, attributes.path));
  return true;
}

function matchesResource({ namespaces, resources }: PolicyRule, attributes: AccessAttributes): boolean {
  if (!attributes.isResourceRequest) return false;
  if (namespaces.length > 0 && !namespaces.includes(attributes.namespace)) return false;
  return resources.length === 0 || resources.some((named) => named.group === attributes.group && isAmong(named, attributes));
}

/** `pods` are the Pods without what lies below them; `pods/log`, `pods/*` and the like name that too. */
function isAmong({ resources, resourceNames }: PolicyResources, attributes: AccessAttributes & { readonly isResourceRequest: true }): boolean {
  if (resources.length === 0) return true;
  if (resourceNames.length > 0 && !resourceNames.includes(attributes.name)) return false;
  const { resource, subresource } = attributes;
  const whole = subresource === '' ? resource : `${resource}/${subresource}`;
  return resources.some((pattern) => pattern === '*' || pattern === whole || pattern === `${resource}/*` || (subresource !== '' && pattern === `*/${subresource}`));
}

function matchesPath(pattern: string, path: string): boolean {
  return pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern;
}
