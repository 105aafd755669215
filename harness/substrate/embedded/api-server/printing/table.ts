import type { ApiObject } from '../api-object.ts';
import type { ResourceDefinition } from '../resources/resource-definition.ts';
import { NAME_AND_AGE } from './common-columns.ts';

export type IncludedObject = 'None' | 'Metadata' | 'Object';

export interface TableOptions {
  readonly includeObject: IncludedObject;
  /** Column definitions are left out after the first event of a watch. */
  readonly withoutHeaders?: boolean;
  readonly listMetadata?: Record<string, unknown>;
}

/** meta.k8s.io/v1 Table: what `kubectl get` prints. */
export function toTable(objects: readonly ApiObject[], definition: ResourceDefinition, options: TableOptions): Record<string, unknown> {
  const columns = definition.columns.length === 0 ? NAME_AND_AGE : definition.columns;
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: options.listMetadata ?? { resourceVersion: objects[0]?.metadata.resourceVersion ?? '' },
    columnDefinitions:
      options.withoutHeaders === true
        ? null
        : columns.map(({ name, type, format = '', description = '', priority = 0 }) => ({ name, type, format, description, priority })),
    rows: objects.map((object) => ({ cells: columns.map((column) => column.value(object)), ...included(object, options.includeObject) })),
  };
}

function included(object: ApiObject, include: IncludedObject): { object?: unknown } {
  if (include === 'None') return {};
  return { object: include === 'Object' ? object : toPartialMetadata(object) };
}

export function toPartialMetadata(object: ApiObject): ApiObject {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata };
}
