import type { AccessAttributes } from '../authorization/access-attributes.ts';

/** The URI that the request would have had over HTTPS. */
export function requestUriOf({ group, version, namespace, resource, name, subresource, verb }: Extract<AccessAttributes, { isResourceRequest: true }>): string {
  const segments = [group === '' ? 'api' : `apis/${group}`, version, ...(namespace === '' ? [] : ['namespaces', namespace]), resource, ...(name === '' ? [] : [name]), ...(subresource === '' ? [] : [subresource])];
  return `/${segments.join('/')}${verb === 'watch' ? '?watch=true' : ''}`;
}
