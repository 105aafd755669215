import type { Readable } from 'node:stream';
import type { ApiObject, ResourceType } from './api-object.ts';

export type { ApiObject, ObjectMeta, ResourceType } from './api-object.ts';
export { ApiStatusError } from './status-error.ts';

/** The API server's own clients in this process (controllers, node agent) work through sessions instead of HTTPS. */
export interface InProcessApi {
  /** A session audited under that name and authorised as system:masters. */
  as(user: string, groups?: readonly string[]): ApiSession;
}

export interface ListOptions {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export interface DeleteOptions {
  readonly gracePeriodSeconds?: number;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
}

export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: ApiObject;
}

/** Objects that a session returns or hands to a watch belong to the caller. Refusals are thrown as ApiStatusError. */
export interface ApiSession {
  get(type: ResourceType, namespace: string | null, name: string): Promise<ApiObject | null>;
  list(type: ResourceType, namespace: string | null, options?: ListOptions): Promise<{ items: ApiObject[]; resourceVersion: string }>;
  create(type: ResourceType, namespace: string | null, object: ApiObject): Promise<ApiObject>;
  /** serviceaccounts/token, pods/binding, pods/eviction */
  createSubresource(type: ResourceType, namespace: string, name: string, subresource: string, object: ApiObject): Promise<ApiObject>;
  /** `finalize` exists for namespaces: it sets spec.finalizers, and a terminating namespace without any is gone. */
  replace(type: ResourceType, namespace: string | null, object: ApiObject, subresource?: 'status' | 'scale' | 'finalize'): Promise<ApiObject>;
  mergePatch(type: ResourceType, namespace: string | null, name: string, patch: object, subresource?: 'status'): Promise<ApiObject>;
  delete(type: ResourceType, namespace: string | null, name: string, options?: DeleteOptions): Promise<void>;
  /** Starts with ADDED for what exists. The handler is never called before watch() has returned. */
  watch(type: ResourceType, namespace: string | null, handler: (event: WatchEvent) => void, options?: ListOptions): Disposable;
}

export interface LogOptions {
  readonly container: string;
  readonly follow: boolean;
  readonly previous: boolean;
  readonly tailLines?: number;
  readonly sinceSeconds?: number;
  readonly limitBytes?: number;
  readonly timestamps?: boolean;
}

export interface ExecOptions {
  readonly container: string;
  readonly command: readonly string[];
  readonly stdin: Readable | null;
  readonly tty: boolean;
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal;
}

export interface RunningExec {
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves with the exit code (128 + signal number for a signal). */
  readonly exitCode: Promise<number>;
}

/** What the API server asks of the node agent. A backend may throw ApiStatusError to refuse. */
export interface NodeBackend {
  openLog(pod: ApiObject, options: LogOptions): Promise<Readable>;
  exec?(pod: ApiObject, options: ExecOptions): Promise<RunningExec>;
}

export interface ApiServerOptions {
  /** A private folder for keys and the audit log; made when it is missing. */
  readonly directory: string;
  /** What /version says as gitVersion. */
  readonly advertisedVersion?: string;
}

export interface StartedApiServer {
  readonly url: string;
  readonly caPem: string;
  readonly api: InProcessApi;
  setNodeBackend(backend: NodeBackend): void;
  /** A kubeconfig (YAML) for system:admin in system:masters. */
  adminKubeconfig(): string;
  /** A kubeconfig (YAML) with a fresh client certificate. */
  issueClientKubeconfig(user: string, groups: readonly string[]): Promise<string>;
  readonly auditLogPath: string;
  stop(): Promise<void>;
}

export { startApiServer } from './start-api-server.ts';
