import { randomUUID } from 'node:crypto';
import type { ApiObject } from '../api-object.ts';
import type { UserInfo } from '../authentication/user-info.ts';
import type { AccessAttributes, AccessDecision } from '../authorization/access-attributes.ts';
import type { ApiStatusError } from '../status-error.ts';
import type { AuditEvent, AuditObjectReference, AuditResponseStatus } from './audit-event.ts';
import type { AuditLog } from './audit-log.ts';

interface Origin {
  readonly requestUri: string;
  readonly sourceAddress?: string;
  readonly userAgent?: string;
}

/** What is known about one request, gathered while it is served, and written when it is answered. */
export class AuditedRequest {
  readonly auditId: string = randomUUID();
  readonly #log: AuditLog;
  readonly #origin: Origin;
  readonly #attributes: AccessAttributes;
  readonly #receivedAt = new Date();
  readonly #annotations: Record<string, string> = {};
  #user: UserInfo | null = null;
  #impersonatedUser: UserInfo | null = null;
  #fromObject: Pick<AuditObjectReference, 'name' | 'namespace' | 'uid' | 'resourceVersion'> = {};
  #requestObject: unknown;
  #responseObject: unknown;

  constructor(log: AuditLog, origin: Origin, attributes: AccessAttributes) {
    this.#log = log;
    this.#origin = origin;
    this.#attributes = attributes;
  }

  authenticatedAs(user: UserInfo): void {
    this.#user = user;
  }

  impersonating(user: UserInfo): void {
    this.#impersonatedUser = user;
  }

  decided(decision: AccessDecision): void {
    this.#annotations['authorization.k8s.io/decision'] = decision.allowed ? 'allow' : 'forbid';
    this.#annotations['authorization.k8s.io/reason'] = decision.reason;
  }

  annotate(key: string, value: string): void {
    this.#annotations[key] = value;
  }

  /** Notes the identity in the object that the client sent. The object itself is written where the policy says so. */
  requestedWith(object: ApiObject | Record<string, unknown>): void {
    const metadata = (object['metadata'] ?? {}) as ApiObject['metadata'];
    this.#fromObject = {
      ...(metadata.name === undefined ? {} : { name: metadata.name }),
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      ...(metadata.uid === undefined ? {} : { uid: metadata.uid }),
      ...(metadata.resourceVersion === undefined ? {} : { resourceVersion: metadata.resourceVersion }),
    };
    this.#requestObject = object;
  }

  answeredWith(object: unknown): void {
    this.#responseObject = object;
  }

  started(code: number): void {
    this.#write('ResponseStarted', { metadata: {}, code });
  }

  completed(code: number): void {
    this.#write('ResponseComplete', { metadata: {}, code });
  }

  closedEarly(code: number): void {
    this.#write('ResponseComplete', { metadata: {}, status: 'Success', message: 'Connection closed early', code });
  }

  failed(error: ApiStatusError): void {
    const details = error.details === undefined || Object.keys(error.details).length === 0 ? {} : { details: error.details };
    this.#write('ResponseComplete', {
      metadata: {},
      status: 'Failure',
      message: error.message,
      ...(error.reason === '' ? {} : { reason: error.reason }),
      ...details,
      code: error.code,
    });
  }

  #write(stage: AuditEvent['stage'], responseStatus: AuditResponseStatus): void {
    const level = this.#log.policy.levelOf(this.#user, this.#attributes);
    if (level === 'None') return;
    const { requestUri, sourceAddress, userAgent } = this.#origin;
    this.#log.append({
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level,
      auditID: this.auditId,
      stage,
      requestURI: requestUri,
      verb: this.#attributes.verb,
      user: this.#user ?? {},
      ...(this.#impersonatedUser === null ? {} : { impersonatedUser: this.#impersonatedUser }),
      ...(sourceAddress === undefined ? {} : { sourceIPs: [sourceAddress] }),
      ...(userAgent === undefined ? {} : { userAgent }),
      ...this.#objectReference(),
      responseStatus,
      ...(level !== 'Metadata' && this.#requestObject !== undefined ? { requestObject: this.#requestObject } : {}),
      ...(level === 'RequestResponse' && this.#responseObject !== undefined ? { responseObject: this.#responseObject } : {}),
      requestReceivedTimestamp: microTime(this.#receivedAt),
      stageTimestamp: microTime(new Date()),
      ...(Object.keys(this.#annotations).length === 0 ? {} : { annotations: this.#annotations }),
    });
  }

  #objectReference(): { objectRef?: AuditObjectReference } {
    if (!this.#attributes.isResourceRequest) return {};
    const { resource, namespace, name, group, version, subresource } = this.#attributes;
    return {
      objectRef: {
        resource,
        ...this.#fromObject,
        ...(namespace === '' ? {} : { namespace }),
        ...(name === '' ? {} : { name }),
        ...(group === '' ? {} : { apiGroup: group }),
        apiVersion: version,
        ...(subresource === '' ? {} : { subresource }),
      },
    };
  }
}

function microTime(at: Date): string {
  return `${at.toISOString().slice(0, -1)}000Z`;
}
