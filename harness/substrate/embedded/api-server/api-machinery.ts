import type { ServiceAccountTokens } from './authentication/service-account-tokens.ts';
import type { RbacAuthorizer } from './authorization/rbac-authorizer.ts';
import type { NodeBackend } from './in-process-api.ts';
import type { ResourceCatalog } from './resources/resource-catalog.ts';
import type { ObjectStore } from './storage/object-store.ts';

/** What every operation needs of the server. */
export interface ApiMachinery {
  readonly store: ObjectStore;
  readonly catalog: ResourceCatalog;
  readonly tokens: ServiceAccountTokens;
  readonly authorizer: RbacAuthorizer;
  readonly nodeBackend: () => NodeBackend | null;
}
