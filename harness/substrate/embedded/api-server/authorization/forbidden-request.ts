import type { UserInfo } from '../authentication/user-info.ts';
import { ApiStatusError, qualifiedResourceName } from '../status-error.ts';
import type { AccessAttributes } from './access-attributes.ts';

/** The 403 answer, in the words of Kubernetes' responsewriters.Forbidden. */
export function forbiddenRequest(user: UserInfo, attributes: AccessAttributes): ApiStatusError {
  if (!attributes.isResourceRequest) {
    const message = `forbidden: User ${JSON.stringify(user.username)} cannot ${attributes.verb} path ${JSON.stringify(attributes.path)}`;
    return new ApiStatusError(403, 'Forbidden', message, {});
  }
  const { verb, group, resource, subresource, namespace, name } = attributes;
  const combined = subresource === '' ? resource : `${resource}/${subresource}`;
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(namespace)}`;
  const subject = name === '' ? qualifiedResourceName({ group, plural: resource }) : `${qualifiedResourceName({ group, plural: resource })} ${JSON.stringify(name)}`;
  const why = `User ${JSON.stringify(user.username)} cannot ${verb} resource ${JSON.stringify(combined)} in API group ${JSON.stringify(group)} ${where}`;
  return new ApiStatusError(403, 'Forbidden', `${subject} is forbidden: ${why}`, { ...(name === '' ? {} : { name }), ...(group === '' ? {} : { group }), kind: resource });
}
