import { isDeepStrictEqual } from 'node:util';
import type { ApiMachinery } from '../api-machinery.ts';
import type { ApiObject } from '../api-object.ts';
import { recordUpdate } from '../fields/managed-fields.ts';
import { storageName, type ResourceDefinition } from '../resources/resource-definition.ts';
import { badRequest, conflict, MODIFIED_SINCE, notFound } from '../status-error.ts';
import { invalidObject } from '../validation/field-error.ts';
import { validateMetadata, validateMetadataUpdate } from '../validation/metadata-validation.ts';
import { placeInNamespace } from './create-object.ts';
import type { ObjectRequest, WriteOptions } from './resource-request.ts';
import { keepSystemMetadata } from './system-metadata.ts';

export interface UpdateOptions extends WriteOptions {
  readonly subresource?: 'status' | 'finalize' | 'scale' | 'ephemeralcontainers' | 'resize';
  /** The managed fields are already those of this write (server-side apply computes its own). */
  readonly managedFieldsAreFinal?: boolean;
}

/** Replaces an object by a draft that the caller gives away. */
export function updateObject(machinery: ApiMachinery, request: ObjectRequest, draft: ApiObject, options: UpdateOptions = {}): ApiObject {
  const { definition, namespace, name, user } = request;
  const { strategy } = definition;
  draft.metadata ??= {};
  placeInNamespace(draft, namespace, definition.namespaced);
  requireSameName(draft, name);
  const previous = machinery.store.get(storageName(definition), namespace, name);
  if (previous === null) throw notFound(definition, name);
  requireFresh(definition, draft, previous);
  keepSystemMetadata(draft, previous);
  if (options.subresource === undefined) {
    if (definition.hasStatus) copyField(previous, draft, 'status');
    strategy.setDefaults?.(draft);
    strategy.prepareForUpdate?.(draft, previous, { store: machinery.store, user });
    if (strategy.tracksGeneration === true && specChanged(draft, previous)) draft.metadata.generation = (previous.metadata.generation ?? 0) + 1;
  } else {
    keepAllButSubresource(draft, previous, options.subresource);
  }
  const errors = [
    ...validateMetadata(draft, definition),
    ...validateMetadataUpdate(draft, previous),
    ...(strategy.validate?.(draft) ?? []),
    ...(strategy.validateUpdate?.(draft, previous) ?? []),
  ];
  if (errors.length > 0) throw invalidObject(definition.kind, definition, name, errors);
  if (options.managedFieldsAreFinal !== true) {
    recordUpdate(draft, previous, definition, { manager: options.fieldManager ?? 'unknown', ...(options.subresource === undefined ? {} : { subresource: options.subresource }) });
  }
  if (isUnchanged(draft, previous)) return previous;
  if (options.dryRun === true) return draft;
  return isReleased(draft) ? removeReleased(machinery, definition, draft) : machinery.store.put(storageName(definition), draft);
}

function requireSameName(draft: ApiObject, name: string): void {
  if ((draft.metadata.name ?? '') === '') throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  if (draft.metadata.name !== name) {
    throw badRequest(`the name of the object (${draft.metadata.name}) does not match the name on the URL (${name})`);
  }
}

function requireFresh(definition: ResourceDefinition, draft: ApiObject, previous: ApiObject): void {
  const name = previous.metadata.name as string;
  const { uid, resourceVersion } = draft.metadata;
  if ((uid ?? '') !== '' && uid !== previous.metadata.uid) {
    throw conflict(definition, name, `StorageError: invalid object, Code: 4, Key: ${storageName(definition)}/${name}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: ${previous.metadata.uid}`);
  }
  if ((resourceVersion ?? '') !== '' && resourceVersion !== previous.metadata.resourceVersion) throw conflict(definition, name, MODIFIED_SINCE);
  draft.metadata.resourceVersion = previous.metadata.resourceVersion as string;
}

function copyField(from: ApiObject, to: ApiObject, field: string): void {
  if (from[field] === undefined) delete to[field];
  else to[field] = structuredClone(from[field]);
}

/** A write of a subresource leaves everything else as it was. */
function keepAllButSubresource(draft: ApiObject, previous: ApiObject, subresource: string): void {
  const subject = subresource === 'status' ? 'status' : 'spec';
  for (const field of new Set([...Object.keys(draft), ...Object.keys(previous)])) {
    if (field !== subject && field !== 'metadata' && field !== 'apiVersion' && field !== 'kind') copyField(previous, draft, field);
  }
  const { annotations, managedFields } = draft.metadata;
  draft.metadata = structuredClone(previous.metadata);
  if (annotations !== undefined) draft.metadata.annotations = annotations;
  if (managedFields !== undefined) draft.metadata.managedFields = managedFields;
}

function specChanged(draft: ApiObject, previous: ApiObject): boolean {
  return !isDeepStrictEqual(draft['spec'], previous['spec']);
}

function isUnchanged(draft: ApiObject, previous: ApiObject): boolean {
  return isDeepStrictEqual(normalised(draft), normalised(previous));
}

/** Without what does not count as a change: who wrote it when. */
function normalised(object: ApiObject): unknown {
  const { managedFields, ...metadata } = object.metadata;
  const owners = managedFields?.map((entry) => ({ ...entry, time: undefined }));
  return JSON.parse(JSON.stringify({ ...object, metadata: { ...metadata, managedFields: owners } }));
}

/** Whether nothing holds an object back any more that was to be deleted. */
function isReleased({ metadata }: ApiObject): boolean {
  return metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).length === 0 && (metadata.deletionGracePeriodSeconds ?? 0) === 0;
}

function removeReleased(machinery: ApiMachinery, definition: ResourceDefinition, draft: ApiObject): ApiObject {
  if (definition.kind === 'Namespace' && namespaceFinalizers(draft).length > 0) return machinery.store.put(storageName(definition), draft);
  const removed = machinery.store.remove(storageName(definition), draft);
  definition.strategy.afterRemoval?.(removed);
  return removed;
}

export function namespaceFinalizers(namespace: ApiObject): readonly string[] {
  return (namespace['spec'] as { finalizers?: string[] } | undefined)?.finalizers ?? [];
}
