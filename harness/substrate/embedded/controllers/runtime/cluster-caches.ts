import type { InProcessApi } from '../../api-server/in-process-api.ts';
import { ClusterClient } from './cluster-client.ts';
import { ALL_KINDS, type Kind } from './kinds.ts';
import { ObjectCache } from './object-cache.ts';
import type { StoredObject } from './objects.ts';

/** One cache a kind, shared by all controllers of the process. */
export class ClusterCaches implements Disposable {
  readonly #caches = new Map<string, ObjectCache<StoredObject>>();

  constructor(api: InProcessApi) {
    const client = new ClusterClient(api, 'system:kube-controller-manager', ['system:masters']);
    for (const kind of ALL_KINDS) this.#caches.set(idOf(kind), new ObjectCache(client, kind));
  }

  of<T extends StoredObject>(kind: Kind<T>): ObjectCache<T> {
    const cache = this.#caches.get(idOf(kind));
    if (cache === undefined) throw new Error(`no cache for ${idOf(kind)}: add the kind to ALL_KINDS`);
    return cache as unknown as ObjectCache<T>;
  }

  [Symbol.dispose](): void {
    for (const cache of this.#caches.values()) cache[Symbol.dispose]();
  }
}

function idOf(kind: Kind): string {
  return `${kind.apiVersion}/${kind.plural}`;
}
