import type { ApiObject, ResourceType } from '../api-object.ts';
import type { ObjectStore } from '../storage/object-store.ts';
import type { FieldError } from '../validation/field-error.ts';
import type { PrinterColumn } from '../printing/printer-column.ts';

export type ResourceVerb = 'create' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'update' | 'watch';

export const ALL_VERBS: readonly ResourceVerb[] = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

/** What a strategy may look at and allocate from while it prepares an object. */
export interface StrategyContext {
  readonly store: ObjectStore;
  readonly user: string;
}

/** What is particular about a kind. Functions get a draft that they may alter; absent ones mean that there is nothing particular. */
export interface ResourceStrategy {
  /** Whether a change of anything but metadata and status raises metadata.generation. */
  readonly tracksGeneration?: boolean;
  /** Fills in what Kubernetes fills in when it decodes the object. */
  readonly setDefaults?: (draft: ApiObject) => void;
  /** Admission and registry work before a creation; runs after setDefaults. */
  readonly prepareForCreate?: (draft: ApiObject, context: StrategyContext) => void;
  /** Carries over what a client may not change; runs after setDefaults. */
  readonly prepareForUpdate?: (draft: ApiObject, previous: ApiObject, context: StrategyContext) => void;
  readonly validate?: (object: ApiObject) => FieldError[];
  readonly validateUpdate?: (object: ApiObject, previous: ApiObject) => FieldError[];
  readonly validateName?: (name: string) => string[];
  /** Field selectors beside metadata.name and metadata.namespace. */
  readonly selectableFields?: (object: ApiObject) => Record<string, string>;
  /** Called when the object has left the store. */
  readonly afterRemoval?: (object: ApiObject) => void;
  /** Whether DELETE answers with the object instead of a Status. */
  readonly returnsDeletedObject?: boolean;
  readonly defaultPropagation?: 'Background' | 'Orphan';
}

export interface SubresourceDefinition {
  readonly name: string;
  readonly verbs: readonly string[];
  readonly kind: string;
  readonly group?: string;
  readonly version?: string;
}

export interface ResourceDefinition extends ResourceType {
  readonly kind: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly ResourceVerb[];
  /** The name of the type in the schema, such as V1Pod. */
  readonly model: string;
  readonly hasStatus: boolean;
  readonly subresources: readonly SubresourceDefinition[];
  readonly strategy: ResourceStrategy;
  readonly columns: readonly PrinterColumn[];
}

export function apiVersionOf(type: { readonly group: string; readonly version: string }): string {
  return type.group === '' ? type.version : `${type.group}/${type.version}`;
}

/** The collection of the store that holds the resource; versions of one resource share it. */
export function storageName(type: { readonly group: string; readonly plural: string }): string {
  return `${type.group}/${type.plural}`;
}
