import { Controller, type ControllerContext } from '../runtime/controller.ts';
import type { ClusterCaches } from '../runtime/cluster-caches.ts';
import { ALL_KINDS, type Kind } from '../runtime/kinds.ts';
import type { OwnerReference, StoredObject } from '../runtime/objects.ts';
import { OwnershipGraph } from './ownership-graph.ts';

const FOREGROUND = 'foregroundDeletion';
const ORPHAN = 'orphan';

/** Removes what has lost its owners, and finishes deletions that wait for dependents or leave them behind. */
export class GarbageCollector extends Controller {
  readonly #graph = new OwnershipGraph();
  readonly #caches: ClusterCaches;

  constructor(context: ControllerContext) {
    super(context, 'generic-garbage-collector', (uid) => this.#reconcile(uid));
    this.#caches = context.caches;
    for (const kind of ALL_KINDS) this.#caches.of(kind).onChange(({ type, object }) => this.#changed(kind, type, object));
  }

  #changed(kind: Kind, type: 'ADDED' | 'MODIFIED' | 'DELETED', object: StoredObject): void {
    const { uid, ownerReferences = [] } = object.metadata;
    if (type === 'DELETED') this.#graph.remove(object);
    else this.#graph.put(kind, object);
    if (type === 'DELETED' || isLeaving(object, FOREGROUND)) for (const dependent of this.#graph.dependentsOf(uid)) this.queue.add(dependent);
    if (type !== 'DELETED') this.queue.add(uid);
    for (const owner of ownerReferences) this.queue.add(owner.uid);
  }

  async #reconcile(uid: string): Promise<void> {
    const node = this.#graph.get(uid);
    if (node === undefined) return;
    if (isLeaving(node.object, ORPHAN)) return this.#orphanDependents(node.kind, node.object);
    if (isLeaving(node.object, FOREGROUND)) return this.#awaitDependents(node.kind, node.object);
    if (node.object.metadata.deletionTimestamp === undefined) await this.#collect(node.kind, node.object);
  }

  async #collect(kind: Kind, object: StoredObject): Promise<void> {
    const owners = object.metadata.ownerReferences ?? [];
    if (owners.length === 0) return;
    const states = await Promise.all(owners.map((owner) => this.#ownerState(owner, object)));
    if (states.includes('present')) return;
    const isAwaited = states.includes('leaving');
    const hasDependents = this.#graph.dependentsOf(object.metadata.uid).length > 0;
    await this.client.delete(kind, object, { propagationPolicy: isAwaited && hasDependents ? 'Foreground' : 'Background' });
  }

  /** An owner that no watch has shown yet may still exist: only the API's own word makes it absent. */
  async #ownerState(owner: OwnerReference, dependent: StoredObject): Promise<'present' | 'leaving' | 'absent'> {
    const kind = ALL_KINDS.find((candidate) => candidate.apiVersion === owner.apiVersion && candidate.kind === owner.kind);
    if (kind === undefined) return 'present';
    const namespace = kind.namespaced ? (dependent.metadata.namespace ?? null) : null;
    const found = this.#graph.get(owner.uid)?.object ?? (await this.client.get(kind, namespace, owner.name));
    const isThisOne = found?.metadata.uid === owner.uid && (!kind.namespaced || found.metadata.namespace === dependent.metadata.namespace);
    if (found === null || !isThisOne) return 'absent';
    return isLeaving(found, FOREGROUND) ? 'leaving' : 'present';
  }

  async #awaitDependents(kind: Kind, owner: StoredObject): Promise<void> {
    const dependents = this.#graph.dependentsOf(owner.metadata.uid);
    for (const uid of dependents) this.queue.add(uid);
    if (dependents.length === 0) await this.#removeFinalizer(kind, owner, FOREGROUND);
  }

  async #orphanDependents(kind: Kind, owner: StoredObject): Promise<void> {
    for (const uid of this.#graph.dependentsOf(owner.metadata.uid)) {
      const dependent = this.#graph.get(uid);
      if (dependent === undefined) continue;
      const ownerReferences = (dependent.object.metadata.ownerReferences ?? []).filter((reference) => reference.uid !== owner.metadata.uid);
      await this.client.patch(dependent.kind, dependent.object, { metadata: { uid, ownerReferences } });
    }
    await this.#removeFinalizer(kind, owner, ORPHAN);
  }

  async #removeFinalizer(kind: Kind, object: StoredObject, finalizer: string): Promise<void> {
    const { uid, resourceVersion, finalizers = [] } = object.metadata;
    await this.client.patch(kind, object, { metadata: { uid, resourceVersion, finalizers: finalizers.filter((name) => name !== finalizer) } });
  }
}

function isLeaving(object: StoredObject, finalizer: string): boolean {
  return object.metadata.deletionTimestamp !== undefined && (object.metadata.finalizers ?? []).includes(finalizer);
}
