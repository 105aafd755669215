/** What can go wrong in the Worker, closed: an operator can look every one of them up. */
export type WorkerErrorCode =
  | 'WORKER_CONFIGURATION_INVALID'
  | 'WORKER_FILE_REFUSED'
  | 'WORKER_FOLDER_REFUSED'
  | 'WORKER_CAPABILITIES_INVALID'
  | 'WORKER_CREDENTIAL_TOKEN_INVALID'
  | 'WORKER_IDENTITY_INVALID'
  | 'WORKER_TRUST_ANCHOR_INVALID'
  | 'WORKER_JOURNAL_DAMAGED'
  | 'WORKER_JOURNAL_FOREIGN'
  | 'WORKER_JOURNAL_UNAVAILABLE'
  | 'WORKER_LOCK_UNAVAILABLE'
  | 'WORKER_LOCK_LOST'
  | 'WORKER_REGISTRATION_REFUSED'
  | 'WORKER_SESSION_FENCED'
  | 'WORKER_SESSION_LEASE_EXPIRED'
  | 'WORKER_INTERNAL';

/**
 * A failure with a code. `facts` are small and free of secrets: they are printed beside the message, and a program that
 * reads the events need not take the message apart.
 */
export class WorkerError extends Error {
  readonly code: WorkerErrorCode;
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(code: WorkerErrorCode, message: string, options: { cause?: unknown; facts?: Readonly<Record<string, unknown>> } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.name = 'WorkerError';
    this.code = code;
    this.facts = options.facts ?? {};
  }
}

/** Anything thrown, as a WorkerError: what nobody expected is WORKER_INTERNAL and keeps its cause. */
export function toWorkerError(thrown: unknown): WorkerError {
  if (thrown instanceof WorkerError) return thrown;
  const reason = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : 'a value that is no Error was thrown';
  return new WorkerError('WORKER_INTERNAL', `unexpected failure: ${reason}`, { cause: thrown });
}

/** The `code` of a system error (`ENOENT`, `ECONNRESET`, …), or null. */
export function systemCode(thrown: unknown): string | null {
  if (!(thrown instanceof Error)) return null;
  const code = (thrown as NodeJS.ErrnoException).code;
  return typeof code === 'string' ? code : null;
}
