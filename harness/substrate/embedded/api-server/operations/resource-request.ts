import type { ManagedFieldsEntry } from '../api-object.ts';
import type { ResourceDefinition } from '../resources/resource-definition.ts';

/** One collection, or one object of it, on behalf of a user. */
export interface CollectionRequest {
  readonly definition: ResourceDefinition;
  /** Null for cluster-scoped resources, and for all namespaces. */
  readonly namespace: string | null;
  readonly user: string;
}

export interface ObjectRequest extends CollectionRequest {
  readonly name: string;
}

export interface WriteOptions {
  readonly dryRun?: boolean;
  /** Who is recorded as the manager of the fields that this write changes. */
  readonly fieldManager?: string;
  /** The managed fields of the new object, where they are known already (server-side apply). */
  readonly managedFields?: readonly ManagedFieldsEntry[];
}
