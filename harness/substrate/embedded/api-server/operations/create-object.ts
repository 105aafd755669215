import type { ApiMachinery } from '../api-machinery.ts';
import type { ApiObject } from '../api-object.ts';
import { storageName } from '../resources/resource-definition.ts';
import { alreadyExists, badRequest } from '../status-error.ts';
import { invalidObject, required } from '../validation/field-error.ts';
import { validateMetadata } from '../validation/metadata-validation.ts';
import { recordUpdate } from '../fields/managed-fields.ts';
import { requireOpenNamespace } from './namespace-lifecycle.ts';
import type { CollectionRequest, WriteOptions } from './resource-request.ts';
import { stampNewObject } from './system-metadata.ts';

/** Creates an object from a draft that the caller gives away. */
export function createObject(machinery: ApiMachinery, request: CollectionRequest, draft: ApiObject, options: WriteOptions = {}): ApiObject {
  const { definition, namespace, user } = request;
  const { strategy } = definition;
  draft.metadata ??= {};
  placeInNamespace(draft, namespace, definition.namespaced);
  if ((draft.metadata.resourceVersion ?? '') !== '') throw badRequest('resourceVersion should not be set on objects to be created');
  if ((draft.metadata.name ?? '') === '' && (draft.metadata.generateName ?? '') === '') {
    throw invalidObject(definition.kind, definition, '', [required('metadata.name', 'name or generateName is required')]);
  }
  if (definition.namespaced) requireOpenNamespace(machinery, definition, namespace as string, draft.metadata.name ?? '');
  stampNewObject(draft, strategy.tracksGeneration ?? false);
  if (definition.hasStatus) delete draft['status'];
  strategy.setDefaults?.(draft);
  strategy.prepareForCreate?.(draft, { store: machinery.store, user });
  const name = draft.metadata.name as string;
  const errors = [...validateMetadata(draft, definition), ...(strategy.validate?.(draft) ?? [])];
  if (errors.length > 0) throw invalidObject(definition.kind, definition, name, errors);
  if (machinery.store.get(storageName(definition), draft.metadata.namespace ?? null, name) !== null) throw alreadyExists(definition, name);
  if (options.managedFields !== undefined) draft.metadata.managedFields = [...options.managedFields];
  else recordUpdate(draft, null, definition, { manager: options.fieldManager ?? 'unknown' });
  return options.dryRun === true ? draft : machinery.store.put(storageName(definition), draft);
}

export function placeInNamespace(draft: ApiObject, namespace: string | null, namespaced: boolean): void {
  if (!namespaced) {
    delete draft.metadata.namespace;
    return;
  }
  if (namespace === null) throw badRequest('an empty namespace may not be set during creation');
  if ((draft.metadata.namespace ?? '') !== '' && draft.metadata.namespace !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  draft.metadata.namespace = namespace;
}
