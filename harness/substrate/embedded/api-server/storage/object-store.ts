import type { ApiObject } from '../api-object.ts';
import type { StoredEvent } from './stored-event.ts';

/** How many changes a watch may lie behind before it is told 410 Gone. */
const DEFAULT_HISTORY_LENGTH = 20_000;

/**
 * Every object of the cluster under one rising revision, with the history of the latest changes.
 * Stored objects are never altered: a change stores another object, so that readers may hold on to what they got.
 * All methods are synchronous; a read followed by a write without an await between them is a transaction.
 */
export class ObjectStore {
  #revision = 1;
  readonly #collections = new Map<string, Map<string, ApiObject>>();
  readonly #history: StoredEvent[] = [];
  readonly #historyLength: number;
  #oldestRevision = 1;
  readonly #listeners = new Map<string, Set<(event: StoredEvent) => void>>();

  constructor(historyLength = DEFAULT_HISTORY_LENGTH) {
    this.#historyLength = historyLength;
  }

  get revision(): number {
    return this.#revision;
  }

  /** Changes after this revision are known, older ones are forgotten. */
  get oldestRevision(): number {
    return this.#oldestRevision;
  }

  get(resource: string, namespace: string | null, name: string): ApiObject | null {
    return this.#collections.get(resource)?.get(storageKey(namespace, name)) ?? null;
  }

  /** Objects in the order of their keys (namespace, then name), as etcd returns them. */
  list(resource: string, namespace: string | null): ApiObject[] {
    const collection = this.#collections.get(resource);
    if (collection === undefined) return [];
    const prefix = namespace === null ? '' : `${namespace}/`;
    const keys = [...collection.keys()].filter((key) => key.startsWith(prefix)).toSorted(compareKeys);
    return keys.map((key) => collection.get(key) as ApiObject);
  }

  /** Stores the object, created or replaced, and returns it as it was stored: with its new resourceVersion. */
  put(resource: string, object: ApiObject): ApiObject {
    const key = keyOf(object);
    const collection = this.#collection(resource);
    const previous = collection.get(key) ?? null;
    const stored = this.#atNextRevision(object);
    collection.set(key, stored);
    this.#record({ revision: this.#revision, resource, type: previous === null ? 'ADDED' : 'MODIFIED', object: stored, previous });
    return stored;
  }

  remove(resource: string, object: ApiObject): ApiObject {
    const key = keyOf(object);
    const collection = this.#collection(resource);
    const previous = collection.get(key);
    if (previous === undefined) throw new Error(`cannot remove ${resource} ${key}: it is not stored`);
    collection.delete(key);
    const last = this.#atNextRevision(object);
    this.#record({ revision: this.#revision, resource, type: 'DELETED', object: last, previous });
    return last;
  }

  /** The changes of one resource after a revision, oldest first, or null when they are no longer known. */
  changesAfter(resource: string, revision: number): StoredEvent[] | null {
    if (revision < this.#oldestRevision) return null;
    const start = this.#firstAfter(revision);
    return this.#history.slice(start).filter((event) => event.resource === resource);
  }

  /** The collection as it was at a revision, or null when that is no longer known. */
  listAt(resource: string, namespace: string | null, revision: number): ApiObject[] | null {
    if (revision >= this.#revision) return this.list(resource, namespace);
    const changes = this.changesAfter(resource, revision);
    if (changes === null) return null;
    const snapshot = new Map(this.#collections.get(resource) ?? []);
    for (const event of changes.toReversed()) {
      if (event.previous === null) snapshot.delete(keyOf(event.object));
      else snapshot.set(keyOf(event.object), event.previous);
    }
    const prefix = namespace === null ? '' : `${namespace}/`;
    return [...snapshot].filter(([key]) => key.startsWith(prefix)).toSorted(([a], [b]) => compareKeys(a, b)).map(([, object]) => object);
  }

  /** Calls the listener, synchronously, for each change of the resource until the returned function is called. */
  subscribe(resource: string, listener: (event: StoredEvent) => void): () => void {
    const listeners = this.#listeners.get(resource) ?? new Set();
    this.#listeners.set(resource, listeners);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  #collection(resource: string): Map<string, ApiObject> {
    let collection = this.#collections.get(resource);
    if (collection === undefined) {
      collection = new Map();
      this.#collections.set(resource, collection);
    }
    return collection;
  }

  #atNextRevision(object: ApiObject): ApiObject {
    this.#revision += 1;
    return { ...object, metadata: { ...object.metadata, resourceVersion: String(this.#revision) } };
  }

  #record(event: StoredEvent): void {
    this.#history.push(event);
    if (this.#history.length > this.#historyLength * 1.25) {
      const forgotten = this.#history.splice(0, this.#history.length - this.#historyLength);
      this.#oldestRevision = forgotten.at(-1)?.revision ?? this.#oldestRevision;
    }
    for (const listener of this.#listeners.get(event.resource) ?? []) listener(event);
  }

  #firstAfter(revision: number): number {
    let low = 0;
    let high = this.#history.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#history[middle] as StoredEvent).revision > revision) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

function keyOf(object: ApiObject): string {
  return storageKey(object.metadata.namespace ?? null, object.metadata.name ?? '');
}

export function storageKey(namespace: string | null, name: string): string {
  return namespace === null ? name : `${namespace}/${name}`;
}

export function compareKeys(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
