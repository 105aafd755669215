import { ALL_VERBS, type ResourceDefinition } from './resource-definition.ts';

type Particulars = Pick<ResourceDefinition, 'group' | 'version' | 'plural' | 'kind'> & Partial<ResourceDefinition>;

/** A definition with what most kinds have in common. */
export function defineResource(particulars: Particulars): ResourceDefinition {
  const { kind } = particulars;
  return {
    singular: kind.toLowerCase(),
    namespaced: true,
    shortNames: [],
    categories: [],
    verbs: ALL_VERBS,
    model: `V${particulars.version.slice(1)}${kind}`,
    hasStatus: false,
    subresources: [],
    strategy: {},
    columns: [],
    ...particulars,
  };
}
