import type { ApiObject } from './api-object.ts';

/** Reasons of a failure `Status`, from the Kubernetes API conventions ("Response Status Kind"). */
export type StatusReason =
  | 'BadRequest'
  | 'Unauthorized'
  | 'Forbidden'
  | 'NotFound'
  | 'AlreadyExists'
  | 'Conflict'
  | 'Gone'
  | 'Expired'
  | 'Invalid'
  | 'MethodNotAllowed'
  | 'NotAcceptable'
  | 'RequestEntityTooLarge'
  | 'UnsupportedMediaType'
  | 'TooManyRequests'
  | 'Timeout'
  | 'NotImplemented'
  | 'ServiceUnavailable'
  | 'InternalError'
  | '';

export interface StatusCause {
  reason?: string;
  message?: string;
  field?: string;
}

export interface StatusDetails {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: StatusCause[];
  retryAfterSeconds?: number;
}

/** A request's failure as Kubernetes tells it: an HTTP status code and a machine-readable reason. */
export class ApiStatusError extends Error {
  readonly code: number;
  readonly reason: StatusReason;
  readonly details: StatusDetails | undefined;

  constructor(code: number, reason: StatusReason, message: string, details?: StatusDetails) {
    super(message);
    this.name = 'ApiStatusError';
    this.code = code;
    this.reason = reason;
    this.details = details;
  }

  toStatus(): ApiObject {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: this.message,
      ...(this.reason === '' ? {} : { reason: this.reason }),
      ...(this.details === undefined ? {} : { details: this.details }),
      code: this.code,
    };
  }
}

/** How an error names a resource: `pods`, or `deployments.apps` outside the core group. */
export interface QualifiedResource {
  readonly group: string;
  readonly plural: string;
}

export function qualifiedResourceName(resource: QualifiedResource): string {
  return resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`;
}

function detailsOf(resource: QualifiedResource, name: string): StatusDetails {
  return {
    ...(name === '' ? {} : { name }),
    ...(resource.group === '' ? {} : { group: resource.group }),
    kind: resource.plural,
  };
}

export function notFound(resource: QualifiedResource, name: string): ApiStatusError {
  return new ApiStatusError(404, 'NotFound', `${qualifiedResourceName(resource)} "${name}" not found`, detailsOf(resource, name));
}

/** The answer to a path that nothing serves. */
export function pathNotFound(): ApiStatusError {
  return new ApiStatusError(404, 'NotFound', 'the server could not find the requested resource', {});
}

export function alreadyExists(resource: QualifiedResource, name: string): ApiStatusError {
  return new ApiStatusError(409, 'AlreadyExists', `${qualifiedResourceName(resource)} "${name}" already exists`, detailsOf(resource, name));
}

export function conflict(resource: QualifiedResource, name: string, why: string): ApiStatusError {
  const message = `Operation cannot be fulfilled on ${qualifiedResourceName(resource)} "${name}": ${why}`;
  return new ApiStatusError(409, 'Conflict', message, detailsOf(resource, name));
}

export const MODIFIED_SINCE = 'the object has been modified; please apply your changes to the latest version and try again';

export function forbidden(resource: QualifiedResource, name: string, why: string): ApiStatusError {
  const subject = name === '' ? qualifiedResourceName(resource) : `${qualifiedResourceName(resource)} "${name}"`;
  return new ApiStatusError(403, 'Forbidden', `${subject} is forbidden: ${why}`, detailsOf(resource, name));
}

export function badRequest(message: string): ApiStatusError {
  return new ApiStatusError(400, 'BadRequest', message);
}

export function unauthorized(): ApiStatusError {
  return new ApiStatusError(401, 'Unauthorized', 'Unauthorized');
}

export function methodNotAllowed(): ApiStatusError {
  return new ApiStatusError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});
}

export function expired(message: string): ApiStatusError {
  return new ApiStatusError(410, 'Expired', message);
}

/** A revision that this server has not reached; a real one would wait for it, and then say so. */
export function tooLargeResourceVersion(asked: number, current: number): ApiStatusError {
  return new ApiStatusError(504, 'Timeout', `Timeout: Too large resource version: ${asked}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });
}

export function notImplemented(message: string): ApiStatusError {
  return new ApiStatusError(501, 'NotImplemented', message);
}

export function internalError(message: string): ApiStatusError {
  return new ApiStatusError(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });
}
