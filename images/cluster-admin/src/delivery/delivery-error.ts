import { isConflict } from '../kubernetes/api-error.ts';

export type WorkerCredentialDeliveryErrorCode =
  | 'WORKER_CREDENTIAL_DELIVERY_CONFLICT'
  | 'WORKER_CREDENTIAL_DELIVERY_UNAVAILABLE';

/**
 * CONFLICT: the cluster holds something else than the delivery expects; a person has to look.
 * UNAVAILABLE: nothing could be decided; the same delivery may be tried again.
 */
export class WorkerCredentialDeliveryError extends Error {
  readonly code: WorkerCredentialDeliveryErrorCode;

  constructor(code: WorkerCredentialDeliveryErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'WorkerCredentialDeliveryError';
    this.code = code;
  }
}

export function deliveryConflict(message: string, cause?: unknown): WorkerCredentialDeliveryError {
  return new WorkerCredentialDeliveryError('WORKER_CREDENTIAL_DELIVERY_CONFLICT', message, cause);
}

export function deliveryUnavailable(message: string, cause?: unknown): WorkerCredentialDeliveryError {
  return new WorkerCredentialDeliveryError('WORKER_CREDENTIAL_DELIVERY_UNAVAILABLE', message, cause);
}

/** A 409 of the API server is a conflict, every other failed call left things undecided. */
export function toDeliveryError(cause: unknown, message: string): WorkerCredentialDeliveryError {
  if (cause instanceof WorkerCredentialDeliveryError) return cause;
  return isConflict(cause) ? deliveryConflict(message, cause) : deliveryUnavailable(message, cause);
}
