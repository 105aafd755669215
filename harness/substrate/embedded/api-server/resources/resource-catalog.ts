import type { ResourceType } from '../api-object.ts';
import { pathNotFound } from '../status-error.ts';
import type { ResourceDefinition } from './resource-definition.ts';

/** The resources that this server serves. */
export class ResourceCatalog {
  readonly definitions: readonly ResourceDefinition[];
  readonly #byType: ReadonlyMap<string, ResourceDefinition>;

  constructor(definitions: readonly ResourceDefinition[]) {
    this.definitions = definitions;
    this.#byType = new Map(definitions.map((definition) => [keyOf(definition), definition]));
  }

  find(type: ResourceType): ResourceDefinition | null {
    return this.#byType.get(keyOf(type)) ?? null;
  }

  /** The definition, or the 404 that Kubernetes gives to an unknown resource. */
  require(type: ResourceType): ResourceDefinition {
    const definition = this.find(type);
    if (definition === null) throw pathNotFound();
    return definition;
  }

  findByKind(apiVersion: string, kind: string): ResourceDefinition | null {
    const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
    return this.definitions.find((definition) => definition.group === group && definition.version === version && definition.kind === kind) ?? null;
  }

  /** Group and version pairs in the order in which discovery lists them. */
  groupVersions(): { group: string; version: string }[] {
    const seen = new Map<string, { group: string; version: string }>();
    for (const { group, version } of this.definitions) seen.set(`${group}/${version}`, { group, version });
    return [...seen.values()];
  }
}

function keyOf({ group, version, plural }: ResourceType): string {
  return `${group}/${version}/${plural}`;
}
