import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ApiMachinery } from '../api-machinery.ts';
import type { AuditedRequest } from '../audit/audited-request.ts';
import type { UserInfo } from '../authentication/user-info.ts';
import type { AccessAttributes } from '../authorization/access-attributes.ts';
import type { RequestInfo } from '../http/request-info.ts';
import type { ObjectRequest } from '../operations/resource-request.ts';
import type { ResourceDefinition } from '../resources/resource-definition.ts';

/** An authorised request for a resource, on its way to the endpoint that serves it. */
export interface EndpointRequest {
  readonly machinery: ApiMachinery;
  readonly info: RequestInfo;
  readonly attributes: Extract<AccessAttributes, { isResourceRequest: true }>;
  readonly user: UserInfo;
  readonly audit: AuditedRequest;
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  /** Aborted when the client has gone or the server stops. */
  readonly signal: AbortSignal;
}

export interface ResourceEndpointRequest extends EndpointRequest {
  readonly definition: ResourceDefinition;
  /** Null for cluster-scoped resources, and for all namespaces. */
  readonly namespace: string | null;
}

export interface Answer {
  readonly code: number;
  readonly object: unknown;
  /** Told to the client in Warning headers. */
  readonly warnings?: readonly string[];
}

export function objectRequest({ definition, namespace, attributes, user }: ResourceEndpointRequest): ObjectRequest {
  return { definition, namespace, name: attributes.name, user: user.username };
}
