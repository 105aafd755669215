export type ExecutionErrorReason =
  | 'disabled'
  | 'authorization_withdrawn'
  | 'plan_not_found'
  | 'approval_not_found'
  | 'binding_mismatch'
  | 'target_mismatch'
  | 'not_approved'
  | 'approval_expired'
  | 'policy_denied'
  | 'policy_changed'
  | 'consumption_mismatch'
  | 'consumed_concurrently'
  | 'execution_ended'
  | 'execution_busy'
  | 'result_mismatch'
  | 'credential_window_closed'
  | 'predecessor_inactive'
  | 'lease_live'
  | 'delivery_pending';

/** An action that was not executed, or not completed. What is durable stays, and the same command may be run again. */
export class ExecutionError extends Error {
  readonly code = 'QL3_WORKER_CREDENTIAL_EXECUTION_REFUSED';
  readonly reason: ExecutionErrorReason;

  constructor(reason: ExecutionErrorReason, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ExecutionError';
    this.reason = reason;
  }
}
