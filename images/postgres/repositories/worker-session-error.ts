export type WorkerSessionErrorCode =
  /** The caller's idea of its session is not the current one, or the session is over. */
  | 'WORKER_SESSION_FENCED'
  /** The request contradicts the session's own limits. */
  | 'WORKER_SESSION_INVALID'
  /** The credential was committed, and its delivery is not yet recorded as published: worth another attempt. */
  | 'WORKER_SESSION_DELIVERY_NOT_PUBLISHED';

/** Why, in a word that fits an audit row's reason code. */
export type WorkerSessionReason =
  | 'session_missing'
  | 'session_replaced'
  | 'session_was_replaced_before'
  | 'session_of_another_worker'
  | 'session_offline'
  | 'session_lease_expired'
  | 'session_capabilities_changed'
  | 'session_already_draining'
  | 'session_generation_mismatch'
  | 'session_version_mismatch'
  | 'available_slots_above_maximum'
  | 'credential_delivery_not_published';

/** A change of a Worker's session that was refused; nothing of it was written. */
export class WorkerSessionError extends Error {
  readonly code: WorkerSessionErrorCode;
  readonly reason: WorkerSessionReason;

  constructor(code: WorkerSessionErrorCode, reason: WorkerSessionReason) {
    super(`${code}: ${reason}`);
    this.name = 'WorkerSessionError';
    this.code = code;
    this.reason = reason;
  }
}

export function fenced(reason: WorkerSessionReason): WorkerSessionError {
  return new WorkerSessionError('WORKER_SESSION_FENCED', reason);
}
