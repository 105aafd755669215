import type { ResourceCatalog } from '../resources/resource-catalog.ts';
import type { SubresourceDefinition } from '../resources/resource-definition.ts';
import { REVIEW_RESOURCES } from '../reviews/review-resources.ts';

/** A resource as discovery tells it, stored or answered only. */
export interface ServedResource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly subresources: readonly SubresourceDefinition[];
}

export function servedResources(catalog: ResourceCatalog): ServedResource[] {
  const reviews = REVIEW_RESOURCES.map((review) => ({
    group: review.group,
    version: review.version,
    plural: review.plural,
    singular: review.kind.toLowerCase(),
    kind: review.kind,
    namespaced: review.namespaced,
    verbs: ['create'],
    shortNames: [],
    categories: [],
    subresources: [],
  }));
  return [...catalog.definitions, ...reviews];
}

/** The groups but core, each with its one version. */
export function servedGroups(resources: readonly ServedResource[]): { group: string; version: string }[] {
  const groups = new Map(resources.filter(({ group }) => group !== '').map(({ group, version }) => [group, { group, version }]));
  return [...groups.values()];
}
