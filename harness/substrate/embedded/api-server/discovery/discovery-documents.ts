import { servedGroups, type ServedResource } from './served-resource.ts';

type Document = Record<string, unknown>;

/** GET /api */
export function coreVersions(address: string): Document {
  return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: address }] };
}

/** GET /apis */
export function groupList(resources: readonly ServedResource[]): Document {
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: servedGroups(resources).map(({ group, version }) => groupDocument(group, version)) };
}

/** GET /apis/<group>, or null for a group that is not served. */
export function groupOf(resources: readonly ServedResource[], group: string): Document | null {
  const found = servedGroups(resources).find((served) => served.group === group);
  return found === undefined ? null : { kind: 'APIGroup', apiVersion: 'v1', ...groupDocument(found.group, found.version) };
}

function groupDocument(group: string, version: string): Document {
  const preferred = { groupVersion: `${group}/${version}`, version };
  return { name: group, versions: [preferred], preferredVersion: preferred };
}

/** GET /api/v1 and /apis/<group>/<version>, or null when it is not served. */
export function resourceList(resources: readonly ServedResource[], group: string, version: string): Document | null {
  const served = resources.filter((resource) => resource.group === group && resource.version === version);
  if (served.length === 0) return null;
  return {
    kind: 'APIResourceList',
    ...(group === '' ? {} : { apiVersion: 'v1' }),
    groupVersion: group === '' ? version : `${group}/${version}`,
    resources: served.flatMap((resource) => [
      {
        name: resource.plural,
        singularName: resource.singular,
        namespaced: resource.namespaced,
        kind: resource.kind,
        verbs: resource.verbs,
        ...(resource.shortNames.length === 0 ? {} : { shortNames: resource.shortNames }),
        ...(resource.categories.length === 0 ? {} : { categories: resource.categories }),
      },
      ...resource.subresources.map((subresource) => ({
        name: `${resource.plural}/${subresource.name}`,
        singularName: '',
        namespaced: resource.namespaced,
        ...(subresource.group === undefined ? {} : { group: subresource.group, version: subresource.version }),
        kind: subresource.kind,
        verbs: subresource.verbs,
      })),
    ]),
  };
}
