export type KubernetesApiErrorCode =
  | 'status'
  | 'timeout'
  | 'network'
  | 'invalid_response'
  | 'client_disposed'
  | 'aborted';

export interface KubernetesApiFailure {
  readonly code: KubernetesApiErrorCode;
  /** `PUT secrets/NAME in NAMESPACE` */
  readonly operation: string;
  readonly detail: string;
  readonly status?: number;
  readonly reason?: string;
  readonly cause?: unknown;
}

/**
 * A call that did not give a usable answer. Request and response bodies hold
 * credentials, so neither is ever part of the message or of the cause.
 */
export class KubernetesApiError extends Error {
  readonly code: KubernetesApiErrorCode;
  readonly operation: string;
  /** HTTP status, only with code `status`. */
  readonly status: number | null;
  /** Status.reason of the API server, for example `Conflict`. */
  readonly reason: string | null;

  constructor(failure: KubernetesApiFailure) {
    super(
      `${failure.operation}: ${failure.detail}`,
      failure.cause === undefined ? undefined : { cause: failure.cause },
    );
    this.name = 'KubernetesApiError';
    this.code = failure.code;
    this.operation = failure.operation;
    this.status = failure.status ?? null;
    this.reason = failure.reason ?? null;
  }
}

export function isNotFound(error: unknown): boolean {
  return error instanceof KubernetesApiError && error.status === 404;
}

/** True for a stale resourceVersion, a failed precondition and a name that is taken. */
export function isConflict(error: unknown): boolean {
  return error instanceof KubernetesApiError && error.status === 409;
}
