import { servedGroups, type ServedResource } from './served-resource.ts';

export const AGGREGATED_DISCOVERY_TYPE = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** apidiscovery.k8s.io/v2: everything that is served under /api or /apis in one document. */
export function aggregatedDiscovery(resources: readonly ServedResource[], of: 'core' | 'groups'): Record<string, unknown> {
  const groups = of === 'core' ? [{ group: '', version: 'v1' }] : servedGroups(resources);
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: groups.map(({ group, version }) => ({
      metadata: group === '' ? { creationTimestamp: null } : { name: group, creationTimestamp: null },
      versions: [{ version, resources: resources.filter((resource) => resource.group === group).map(toDiscovery), freshness: 'Current' }],
    })),
  };
}

function toDiscovery(resource: ServedResource): Record<string, unknown> {
  const { group, version, kind } = resource;
  return {
    resource: resource.plural,
    responseKind: { group, version, kind },
    scope: resource.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: resource.singular,
    verbs: resource.verbs,
    ...(resource.shortNames.length === 0 ? {} : { shortNames: resource.shortNames }),
    ...(resource.categories.length === 0 ? {} : { categories: resource.categories }),
    ...(resource.subresources.length === 0
      ? {}
      : {
          subresources: resource.subresources.map((subresource) => ({
            subresource: subresource.name,
            responseKind: { group: subresource.group ?? group, version: subresource.version ?? version, kind: subresource.kind },
            verbs: subresource.verbs,
          })),
        }),
  };
}
