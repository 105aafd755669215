import type { Kind } from '../runtime/kinds.ts';
import type { StoredObject } from '../runtime/objects.ts';

export interface OwnedObject {
  readonly kind: Kind;
  readonly object: StoredObject;
}

/** Who depends on whom, by uid. */
export class OwnershipGraph {
  readonly #objects = new Map<string, OwnedObject>();
  readonly #dependents = new Map<string, Set<string>>();

  get(uid: string): OwnedObject | undefined {
    return this.#objects.get(uid);
  }

  dependentsOf(uid: string): string[] {
    return [...(this.#dependents.get(uid) ?? [])];
  }

  put(kind: Kind, object: StoredObject): void {
    const { uid } = object.metadata;
    this.#unlink(uid);
    this.#objects.set(uid, { kind, object });
    for (const owner of object.metadata.ownerReferences ?? []) {
      const dependents = this.#dependents.get(owner.uid) ?? new Set();
      this.#dependents.set(owner.uid, dependents.add(uid));
    }
  }

  remove(object: StoredObject): void {
    this.#unlink(object.metadata.uid);
    this.#objects.delete(object.metadata.uid);
  }

  #unlink(uid: string): void {
    for (const owner of this.#objects.get(uid)?.object.metadata.ownerReferences ?? []) {
      const dependents = this.#dependents.get(owner.uid);
      dependents?.delete(uid);
      if (dependents?.size === 0) this.#dependents.delete(owner.uid);
    }
  }
}
