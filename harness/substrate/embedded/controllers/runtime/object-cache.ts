import type { Change, ClusterClient } from './cluster-client.ts';
import type { Kind } from './kinds.ts';
import type { StoredObject } from './objects.ts';

export function keyOf(object: StoredObject): string {
  return `${object.metadata.namespace ?? ''}/${object.metadata.name}`;
}

type Listener<T> = (change: Change<T>, previous: T | undefined) => void;

/**
 * The objects of one kind, kept by a watch. A controller tells it what its own writes returned, so that it never
 * acts on a state older than its last write.
 */
export class ObjectCache<T extends StoredObject> implements Disposable {
  readonly kind: Kind<T>;
  readonly #objects = new Map<string, T>();
  readonly #listeners = new Set<Listener<T>>();
  readonly #watch: Disposable;
  #watchedVersion = 0n;

  constructor(client: ClusterClient, kind: Kind<T>) {
    this.kind = kind;
    this.#watch = client.watch(kind, (change) => this.#apply(change));
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  find(namespace: string, name: string): T | undefined {
    return this.#objects.get(`${namespace}/${name}`);
  }

  all(): T[] {
    return [...this.#objects.values()];
  }

  inNamespace(namespace: string): T[] {
    return this.all().filter((object) => object.metadata.namespace === namespace);
  }

  ownedBy(uid: string): T[] {
    return this.all().filter((object) => object.metadata.ownerReferences?.some((owner) => owner.controller === true && owner.uid === uid));
  }

  onChange(listener: Listener<T>): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => this.#listeners.delete(listener) };
  }

  /** Takes in what a write returned. What the watch has already passed is known better from the watch. */
  observe(object: T): T {
    const version = BigInt(object.metadata.resourceVersion);
    const known = this.#objects.get(keyOf(object));
    const isNewer = known === undefined || BigInt(known.metadata.resourceVersion) < version;
    if (version > this.#watchedVersion && isNewer) this.#objects.set(keyOf(object), object);
    return object;
  }

  [Symbol.dispose](): void {
    this.#watch[Symbol.dispose]();
    this.#listeners.clear();
  }

  #apply(change: Change<T>): void {
    const key = keyOf(change.object);
    const previous = this.#objects.get(key);
    const version = BigInt(change.object.metadata.resourceVersion);
    if (version > this.#watchedVersion) this.#watchedVersion = version;
    const isOlder = previous !== undefined && BigInt(previous.metadata.resourceVersion) > version;
    if (change.type === 'DELETED') {
      if (!isOlder || previous.metadata.uid === change.object.metadata.uid) this.#objects.delete(key);
    } else if (!isOlder) {
      this.#objects.set(key, change.object);
    }
    for (const listener of this.#listeners) listener(change, previous);
  }
}
