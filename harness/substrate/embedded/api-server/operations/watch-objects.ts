import type { ApiMachinery } from '../api-machinery.ts';
import type { ApiObject } from '../api-object.ts';
import { storageName } from '../resources/resource-definition.ts';
import { parseFieldSelector } from '../selectors/field-selector.ts';
import { parseLabelSelector } from '../selectors/label-selector.ts';
import { expired } from '../status-error.ts';
import type { StoredEvent } from '../storage/stored-event.ts';
import type { CollectionRequest } from './resource-request.ts';

export interface ObjectEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: ApiObject;
}

export interface WatchParameters {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Changes after this revision; null for what exists now, told as ADDED, and the changes from now on. */
  readonly afterRevision: number | null;
}

/** Delivers what has happened already at once, synchronously, and later changes as they happen. Returns the function that ends it. */
export function watchObjects(machinery: ApiMachinery, { definition, namespace }: CollectionRequest, parameters: WatchParameters, deliver: (event: ObjectEvent) => void): () => void {
  const matchesLabels = parseLabelSelector(parameters.labelSelector);
  const matchesFields = parseFieldSelector(parameters.fieldSelector, definition.strategy.selectableFields);
  const selects = (object: ApiObject): boolean => (namespace === null || object.metadata.namespace === namespace) && matchesLabels(object.metadata.labels) && matchesFields(object);
  const pass = (event: StoredEvent): void => {
    const seen = asSeenThrough(selects, event);
    if (seen !== null) deliver(seen);
  };
  const storage = storageName(definition);
  if (parameters.afterRevision === null) {
    for (const object of machinery.store.list(storage, namespace)) if (selects(object)) deliver({ type: 'ADDED', object });
  } else {
    const missed = machinery.store.changesAfter(storage, parameters.afterRevision);
    if (missed === null) throw expired(`too old resource version: ${parameters.afterRevision} (${machinery.store.oldestRevision})`);
    for (const event of missed) pass(event);
  }
  return machinery.store.subscribe(storage, pass);
}

/** An object that comes to match a selector is ADDED for its watchers, one that ceases to match is DELETED. */
function asSeenThrough(selects: (object: ApiObject) => boolean, { type, object, previous }: StoredEvent): ObjectEvent | null {
  const before = previous !== null && selects(previous);
  if (type === 'DELETED') return before ? { type, object } : null;
  const after = selects(object);
  if (after) return { type: before ? 'MODIFIED' : 'ADDED', object };
  if (!before) return null;
  return { type: 'DELETED', object: { ...previous, metadata: { ...previous.metadata, resourceVersion: object.metadata.resourceVersion as string } } };
}
