import type { ApiMachinery } from '../api-machinery.ts';
import type { ResourceDefinition } from '../resources/resource-definition.ts';
import { ApiStatusError, forbidden, notFound } from '../status-error.ts';

/** Nothing is created in a namespace that does not exist or is going away. */
export function requireOpenNamespace(machinery: ApiMachinery, definition: ResourceDefinition, namespace: string, name: string): void {
  const found = machinery.store.get('/namespaces', null, namespace);
  if (found === null) throw notFound({ group: '', plural: 'namespaces' }, namespace);
  if (found.metadata.deletionTimestamp === undefined) return;
  const refusal = forbidden(definition, name, `unable to create new content in namespace ${namespace} because it is being terminated`);
  throw new ApiStatusError(refusal.code, refusal.reason, refusal.message, {
    ...refusal.details,
    causes: [{ reason: 'NamespaceTerminating', message: `namespace ${namespace} is being terminated`, field: 'metadata.namespace' }],
  });
}
