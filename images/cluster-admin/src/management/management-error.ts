export type ManagementErrorCode =
  | 'QL3_MANAGEMENT_REQUEST_INVALID'
  | 'QL3_MANAGEMENT_PRINCIPAL_WEAK'
  | 'QL3_MANAGEMENT_PRINCIPAL_EXPIRED'
  | 'QL3_MANAGEMENT_POLICY_DENIED'
  | 'QL3_MANAGEMENT_POLICY_CHANGED'
  | 'QL3_MANAGEMENT_PLAN_NOT_FOUND'
  | 'QL3_MANAGEMENT_PLAN_CONFLICT'
  | 'QL3_MANAGEMENT_PLAN_EXPIRED'
  | 'QL3_MANAGEMENT_PLAN_DIGEST_MISMATCH'
  | 'QL3_MANAGEMENT_REQUESTER_MISMATCH'
  | 'QL3_MANAGEMENT_APPROVAL_NOT_FOUND'
  | 'QL3_MANAGEMENT_APPROVAL_CONFLICT'
  | 'QL3_MANAGEMENT_APPROVAL_EXPIRED'
  | 'QL3_MANAGEMENT_SELF_APPROVAL';

/** A plan, proposal or decision that was refused. Nothing was written. */
export class ManagementError extends Error {
  readonly code: ManagementErrorCode;

  constructor(code: ManagementErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ManagementError';
    this.code = code;
  }
}
