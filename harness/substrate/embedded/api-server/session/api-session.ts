import type { ApiMachinery } from '../api-machinery.ts';
import type { ApiObject, ResourceType } from '../api-object.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { AuditedRequest } from '../audit/audited-request.ts';
import type { UserInfo } from '../authentication/user-info.ts';
import type { AccessAttributes } from '../authorization/access-attributes.ts';
import type { ApiSession, DeleteOptions, ListOptions, WatchEvent } from '../in-process-api.ts';
import { decodeObject } from '../decoding/decode-object.ts';
import { createObject } from '../operations/create-object.ts';
import { deleteObject } from '../operations/delete-object.ts';
import { getObject } from '../operations/get-object.ts';
import { listObjects } from '../operations/list-objects.ts';
import type { CollectionRequest, ObjectRequest } from '../operations/resource-request.ts';
import { updateObject } from '../operations/update-object.ts';
import { watchObjects } from '../operations/watch-objects.ts';
import { applyMergePatch } from '../patching/merge-patch.ts';
import { ApiStatusError, internalError, pathNotFound } from '../status-error.ts';
import { bindPod } from '../subresources/pod-binding.ts';
import { scaleOf, withScale } from '../subresources/scale.ts';
import { requestToken } from '../subresources/token-request.ts';
import { requestUriOf } from './request-uri.ts';

/** A session of a client in this process: the same operations and audit events as over HTTPS, without the wire. */
export class InProcessSession implements ApiSession {
  readonly #machinery: ApiMachinery;
  readonly #auditLog: AuditLog;
  readonly #user: UserInfo;

  constructor(machinery: ApiMachinery, auditLog: AuditLog, user: UserInfo) {
    this.#machinery = machinery;
    this.#auditLog = auditLog;
    this.#user = user;
  }

  async get(type: ResourceType, namespace: string | null, name: string): Promise<ApiObject | null> {
    try {
      return this.#audited('get', type, namespace, name, 200, () => getObject(this.#machinery, this.#object(type, namespace, name)));
    } catch (error) {
      if (error instanceof ApiStatusError && error.reason === 'NotFound') return null;
      throw error;
    }
  }

  async list(type: ResourceType, namespace: string | null, options: ListOptions = {}): Promise<{ items: ApiObject[]; resourceVersion: string }> {
    return this.#audited('list', type, namespace, '', 200, () => {
      const { items, resourceVersion } = listObjects(this.#machinery, this.#collection(type, namespace), options);
      return { items, resourceVersion };
    });
  }

  async create(type: ResourceType, namespace: string | null, object: ApiObject): Promise<ApiObject> {
    const draft = this.#decoded(type, object);
    return this.#audited('create', type, namespace, '', 201, (audit) => {
      audit.requestedWith(draft);
      return createObject(this.#machinery, this.#collection(type, namespace), draft, this.#writer());
    });
  }

  async createSubresource(type: ResourceType, namespace: string, name: string, subresource: string, object: ApiObject): Promise<ApiObject> {
    const audit = this.#audit('create', type, namespace, name, subresource);
    try {
      const draft = structuredClone(object);
      audit.requestedWith(draft);
      const created = await this.#createSubresource(this.#object(type, namespace, name), subresource, draft, audit);
      audit.completed(201);
      return structuredClone(created);
    } catch (error) {
      throw this.#failed(audit, error);
    }
  }

  async replace(type: ResourceType, namespace: string | null, object: ApiObject, subresource?: 'status' | 'scale' | 'finalize'): Promise<ApiObject> {
    const name = object.metadata.name ?? '';
    const request = this.#object(type, namespace, name);
    const draft = subresource === 'scale' ? structuredClone(object) : this.#decoded(type, object);
    return this.#audited('update', type, namespace, name, 200, (audit) => {
      audit.requestedWith(draft);
      if (subresource === 'scale') return scaleOf(updateObject(this.#machinery, request, withScale(getObject(this.#machinery, request), draft), this.#writer()));
      return updateObject(this.#machinery, request, draft, { ...this.#writer(), ...(subresource === undefined ? {} : { subresource }) });
    }, subresource);
  }

  async mergePatch(type: ResourceType, namespace: string | null, name: string, patch: object, subresource?: 'status'): Promise<ApiObject> {
    const request = this.#object(type, namespace, name);
    return this.#audited('patch', type, namespace, name, 200, () => {
      const patched = this.#decoded(type, applyMergePatch(getObject(this.#machinery, request), patch) as ApiObject);
      return updateObject(this.#machinery, request, patched, { ...this.#writer(), ...(subresource === undefined ? {} : { subresource }) });
    }, subresource);
  }

  async delete(type: ResourceType, namespace: string | null, name: string, options: DeleteOptions = {}): Promise<void> {
    this.#audited('delete', type, namespace, name, 200, () => {
      deleteObject(this.#machinery, this.#object(type, namespace, name), options);
      return null;
    });
  }

  watch(type: ResourceType, namespace: string | null, handler: (event: WatchEvent) => void, options: ListOptions = {}): Disposable {
    const audit = this.#audit('watch', type, namespace, '');
    let ended = false;
    const deliver = (event: WatchEvent): void => {
      const own = structuredClone(event);
      queueMicrotask(() => {
        if (!ended) handler(own);
      });
    };
    const end = watchObjects(this.#machinery, this.#collection(type, namespace), { ...options, afterRevision: null }, deliver);
    audit.started(200);
    return {
      [Symbol.dispose]: () => {
        if (ended) return;
        ended = true;
        end();
        audit.completed(200);
      },
    };
  }

  async #createSubresource(request: ObjectRequest, subresource: string, object: ApiObject, audit: AuditedRequest): Promise<ApiObject> {
    const { definition } = request;
    if (!definition.subresources.some(({ name, verbs }) => name === subresource && verbs.includes('create'))) throw pathNotFound();
    switch (subresource) {
      case 'binding':
        bindPod(this.#machinery, request, object);
        return getObject(this.#machinery, request);
      case 'eviction':
        return deleteObject(this.#machinery, request, object['deleteOptions'] ?? {}).object;
      case 'token': {
        const { object: token, credentialId } = await requestToken(this.#machinery, request, object);
        audit.annotate('authentication.kubernetes.io/issued-credential-id', credentialId);
        return token;
      }
      default:
        throw pathNotFound();
    }
  }

  /** Runs a synchronous operation, so that nothing comes between its reads and writes. */
  #audited<T>(verb: string, type: ResourceType, namespace: string | null, name: string, code: number, operation: (audit: AuditedRequest) => T, subresource = ''): T {
    const audit = this.#audit(verb, type, namespace, name, subresource);
    try {
      const result = structuredClone(operation(audit));
      audit.completed(code);
      return result;
    } catch (error) {
      throw this.#failed(audit, error);
    }
  }

  #audit(verb: string, type: ResourceType, namespace: string | null, name: string, subresource = ''): AuditedRequest {
    const { group, version, plural } = type;
    const attributes: AccessAttributes = { isResourceRequest: true, verb, group, version, resource: plural, subresource, namespace: namespace ?? '', name };
    const audit = new AuditedRequest(this.#auditLog, { requestUri: requestUriOf(attributes), userAgent: 'in-process' }, attributes);
    audit.authenticatedAs(this.#user);
    audit.decided({ allowed: true, reason: '' });
    return audit;
  }

  #failed(audit: AuditedRequest, error: unknown): unknown {
    audit.failed(error instanceof ApiStatusError ? error : internalError((error as Error).message));
    return error;
  }

  #writer(): { fieldManager: string } {
    return { fieldManager: this.#user.username.split(':').at(-1) ?? 'unknown' };
  }

  /** What the object would be after the wire: without unknown fields, nulls and what belongs to the caller. */
  #decoded(type: ResourceType, object: ApiObject): ApiObject {
    return decodeObject(structuredClone(object), this.#machinery.catalog.require(type)).object;
  }

  #collection(type: ResourceType, namespace: string | null): CollectionRequest {
    return { definition: this.#machinery.catalog.require(type), namespace, user: this.#user.username };
  }

  #object(type: ResourceType, namespace: string | null, name: string): ObjectRequest {
    return { ...this.#collection(type, namespace), name };
  }
}
