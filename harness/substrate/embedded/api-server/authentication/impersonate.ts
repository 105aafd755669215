import type { IncomingHttpHeaders } from 'node:http';
import type { AccessAttributes } from '../authorization/access-attributes.ts';
import { forbiddenRequest } from '../authorization/forbidden-request.ts';
import type { RbacAuthorizer } from '../authorization/rbac-authorizer.ts';
import { badRequest } from '../status-error.ts';
import { authenticated, parseServiceAccountUsername, serviceAccountGroups, type UserInfo } from './user-info.ts';

const EXTRA_PREFIX = 'impersonate-extra-';

/** The user that the request asks to act as, or null when it asks for none; 403 unless the requester may impersonate all of it. */
export function impersonatedUser(headers: IncomingHttpHeaders, requester: UserInfo, authorizer: RbacAuthorizer): UserInfo | null {
  const username = single(headers['impersonate-user']);
  const groups = many(headers['impersonate-group']);
  const uid = single(headers['impersonate-uid']);
  const extra = extraOf(headers);
  if (username === '') {
    if (groups.length > 0 || uid !== '' || Object.keys(extra).length > 0) {
      throw badRequest('requested impersonation without impersonating a user: Impersonate-User is missing');
    }
    return null;
  }
  const account = parseServiceAccountUsername(username);
  const wanted: AccessAttributes[] = [
    account === null ? access('', 'users', username) : access('', 'serviceaccounts', account.name, account.namespace),
    ...groups.map((group) => access('', 'groups', group)),
    ...(uid === '' ? [] : [access('authentication.k8s.io', 'uids', uid)]),
    ...Object.entries(extra).flatMap(([key, values]) => values.map((value) => access('authentication.k8s.io', 'userextras', value, '', key))),
  ];
  for (const attributes of wanted) {
    if (!authorizer.authorize(requester, attributes).allowed) throw forbiddenRequest(requester, attributes);
  }
  const ownGroups = account !== null && groups.length === 0 ? serviceAccountGroups(account.namespace) : groups;
  return authenticated({
    username,
    groups: ownGroups,
    ...(uid === '' ? {} : { uid }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  });
}

function access(group: string, resource: string, name: string, namespace = '', subresource = ''): AccessAttributes {
  return { isResourceRequest: true, verb: 'impersonate', group, version: group === '' ? '' : 'v1', resource, subresource, namespace, name };
}

function single(value: string | string[] | undefined): string {
  return [value ?? ''].flat()[0] ?? '';
}

/** Node joins repeated headers with ", "; a group's name holds no comma. */
function many(value: string | string[] | undefined): string[] {
  return [value ?? []].flat().flatMap((line) => line.split(', ')).filter((entry) => entry !== '');
}

function extraOf(headers: IncomingHttpHeaders): Record<string, string[]> {
  const entries = Object.entries(headers).filter(([header]) => header.startsWith(EXTRA_PREFIX));
  return Object.fromEntries(entries.map(([header, value]) => [decodeURIComponent(header.slice(EXTRA_PREFIX.length)), many(value)]));
}
