import type { ApiObject, ApiSession, DeleteOptions, InProcessApi } from '../../api-server/in-process-api.ts';
import { ApiStatusError } from '../../api-server/in-process-api.ts';
import type { Kind } from './kinds.ts';
import type { StoredObject } from './objects.ts';

/** An object to be created: the server fills in what is missing, and checks the rest. */
export interface Draft {
  metadata: { name?: string; generateName?: string; [field: string]: unknown };
  [field: string]: unknown;
}

export interface Change<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: T;
}

/** One client's typed view of the API. The API server validates objects by kind, so their shapes are trusted here. */
export class ClusterClient {
  readonly user: string;
  readonly #session: ApiSession;

  constructor(api: InProcessApi, user: string, groups: readonly string[]) {
    this.user = user;
    this.#session = api.as(user, groups);
  }

  async get<T extends StoredObject>(kind: Kind<T>, namespace: string | null, name: string): Promise<T | null> {
    return (await this.#session.get(kind, namespace, name)) as T | null;
  }

  async list<T extends StoredObject>(kind: Kind<T>, namespace: string | null): Promise<T[]> {
    return (await this.#session.list(kind, namespace)).items as unknown as T[];
  }

  async create<T extends StoredObject>(kind: Kind<T>, namespace: string | null, draft: Draft): Promise<T> {
    const object = { ...draft, apiVersion: kind.apiVersion, kind: kind.kind } as ApiObject;
    return (await this.#session.create(kind, namespace, object)) as unknown as T;
  }

  async createSubresource(kind: Kind, namespace: string, name: string, subresource: string, object: object): Promise<ApiObject> {
    return this.#session.createSubresource(kind, namespace, name, subresource, object as ApiObject);
  }

  async replace<T extends StoredObject>(kind: Kind<T>, object: T, subresource?: 'status' | 'scale' | 'finalize'): Promise<T> {
    const namespace = object.metadata.namespace ?? null;
    return (await this.#session.replace(kind, namespace, object as unknown as ApiObject, subresource)) as unknown as T;
  }

  async patch<T extends StoredObject>(kind: Kind<T>, object: T, patch: object, subresource?: 'status'): Promise<T> {
    const { namespace, name } = object.metadata;
    return (await this.#session.mergePatch(kind, namespace ?? null, name, patch, subresource)) as unknown as T;
  }

  /** Deletes this very object, not a later one of the same name. An object that is gone already is no error. */
  async delete<T extends StoredObject>(kind: Kind<T>, object: T, options: DeleteOptions = {}): Promise<void> {
    const { namespace, name, uid } = object.metadata;
    try {
      await this.#session.delete(kind, namespace ?? null, name, { ...options, preconditions: { uid, ...options.preconditions } });
    } catch (error) {
      if (isNotFound(error) || (isConflict(error) && options.preconditions?.resourceVersion === undefined)) return;
      throw error;
    }
  }

  watch<T extends StoredObject>(kind: Kind<T>, handler: (change: Change<T>) => void): Disposable {
    return this.#session.watch(kind, null, (event) => handler({ type: event.type, object: event.object as unknown as T }));
  }
}

export function isNotFound(error: unknown): boolean {
  return error instanceof ApiStatusError && error.reason === 'NotFound';
}

export function isConflict(error: unknown): boolean {
  return error instanceof ApiStatusError && error.reason === 'Conflict';
}

export function isAlreadyExists(error: unknown): boolean {
  return error instanceof ApiStatusError && error.reason === 'AlreadyExists';
}

/** The namespace of a terminating namespace refuses new objects; whoever made them has nothing left to do there. */
export function isForbidden(error: unknown): boolean {
  return error instanceof ApiStatusError && error.reason === 'Forbidden';
}
