export type SupervisorErrorCode =
  | 'QL3_EMBEDDED_SUPERVISOR_START_FAILED'
  | 'QL3_EMBEDDED_SUPERVISOR_EXITED'
  | 'QL3_EMBEDDED_SUPERVISOR_ORDER_FAILED';

export class SupervisorError extends Error {
  override readonly name = 'SupervisorError';
  readonly code: SupervisorErrorCode;

  constructor(code: SupervisorErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
