export type IssueErrorCode =
  | 'QL3_WORKER_CREDENTIAL_ISSUE_CONFLICT'
  | 'QL3_WORKER_CREDENTIAL_PREDECESSOR_INACTIVE'
  | 'QL3_WORKER_CREDENTIAL_EXECUTION_FENCED';

/** A credential that may not be committed. Its stage, if there is one, is found again by the next attempt or by recovery. */
export class IssueError extends Error {
  readonly code: IssueErrorCode;

  constructor(code: IssueErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'IssueError';
    this.code = code;
  }
}
