/** Every way in which a value of the domain can be malformed. Callers branch on the code, people read the message. */
export type DomainErrorCode =
  | 'QL3_IDENTIFIER_INVALID'
  | 'QL3_PEPPER_INVALID'
  | 'QL3_CREDENTIAL_TOKEN_INVALID'
  | 'QL3_DELIVERY_INTENT_INVALID'
  | 'QL3_DELIVERY_RECORD_INVALID'
  | 'QL3_STAGE_DISCARD_INVALID'
  | 'QL3_MANAGEMENT_PLAN_INVALID'
  | 'QL3_APPROVAL_INVALID'
  | 'QL3_EXECUTION_INVALID'
  | 'QL3_EXECUTION_COMMAND_INVALID'
  | 'QL3_SESSION_MESSAGE_INVALID';

/** One fault of one field. `got` describes the value without quoting it, so that a secret can never reach a log. */
export interface DomainIssue {
  readonly path: string;
  readonly expected: string;
  readonly got: string;
}

export class DomainError extends Error {
  readonly code: DomainErrorCode;
  readonly issues: readonly DomainIssue[];

  constructor(code: DomainErrorCode, subject: string, issues: readonly DomainIssue[], options?: ErrorOptions) {
    super(`${subject} is malformed: ${issues.map(describeIssue).join('; ')}`, options);
    this.name = 'DomainError';
    this.code = code;
    this.issues = issues;
  }
}

function describeIssue(issue: DomainIssue): string {
  return `${issue.path === '' ? 'the value' : issue.path} must be ${issue.expected}, got ${issue.got}`;
}

/** Names the kind and size of a value, never its content. */
export function describeValue(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'nothing';
  if (typeof value === 'string') return `a string of ${value.length} characters`;
  if (typeof value === 'number' || typeof value === 'boolean') return `${typeof value} ${String(value)}`;
  if (value instanceof Uint8Array) return `${value.byteLength} bytes`;
  if (Array.isArray(value)) return `an array of ${value.length}`;
  return `a ${typeof value}`;
}
