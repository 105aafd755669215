import { Controller, type ControllerContext } from '../runtime/controller.ts';
import type { ClusterCaches } from '../runtime/cluster-caches.ts';
import { ALL_KINDS, NAMESPACES } from '../runtime/kinds.ts';
import type { ObjectCache } from '../runtime/object-cache.ts';
import type { Namespace } from '../runtime/objects.ts';

const CONTENT = ALL_KINDS.filter((kind) => kind.namespaced);

/** Empties a terminating namespace and, when the API has nothing left in it, lets it go. */
export class NamespaceDeletion extends Controller {
  readonly #caches: ClusterCaches;
  readonly #namespaces: ObjectCache<Namespace>;

  constructor(context: ControllerContext) {
    super(context, 'namespace-controller', (name) => this.#reconcile(name));
    this.#caches = context.caches;
    this.#namespaces = context.caches.of(NAMESPACES);
    this.#namespaces.onChange(({ object }) => this.#enqueue(object.metadata.name));
    for (const kind of CONTENT) {
      this.#caches.of(kind).onChange(({ object }) => this.#enqueue(object.metadata.namespace ?? ''));
    }
  }

  #enqueue(name: string): void {
    if (this.#namespaces.get(`/${name}`)?.metadata.deletionTimestamp !== undefined) this.queue.add(name);
  }

  async #reconcile(name: string): Promise<void> {
    const namespace = this.#namespaces.get(`/${name}`);
    if (namespace?.metadata.deletionTimestamp === undefined) return;
    const left = await Promise.all(CONTENT.map((kind) => this.#empty(kind, name)));
    if (left.some((count) => count > 0)) return;
    await this.client.replace(NAMESPACES, { ...namespace, spec: { ...namespace.spec, finalizers: [] } }, 'finalize');
  }

  /** Deletes what is there and says how much was: an object may have to wait for its finalizers or its grace period. */
  async #empty(kind: (typeof CONTENT)[number], namespace: string): Promise<number> {
    const objects = await this.client.list(kind, namespace);
    const fresh = objects.filter((object) => object.metadata.deletionTimestamp === undefined);
    await Promise.all(fresh.map((object) => this.client.delete(kind, object, { propagationPolicy: 'Background' })));
    return objects.length;
  }
}
