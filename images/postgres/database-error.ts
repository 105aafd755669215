import pg from 'pg';

export type DatabaseErrorCode =
  | 'QL3_DATABASE_CONFIGURATION'
  | 'QL3_DATABASE_UNAVAILABLE'
  | 'QL3_DATABASE_CONTENTION'
  | 'QL3_DATABASE_OUTCOME_UNKNOWN'
  | 'QL3_DATABASE_VALUE_UNREPRESENTABLE'
  | 'QL3_DATABASE_NOT_READY'
  | 'QL3_MIGRATION_ROLE'
  | 'QL3_MIGRATION_LOCKED'
  | 'QL3_MIGRATION_CHANGED'
  | 'QL3_MIGRATION_MISSING'
  | 'QL3_MIGRATION_UNKNOWN'
  | 'QL3_MIGRATION_CAPABILITY'
  | 'QL3_MIGRATION_FAILED';

export class DatabaseError extends Error {
  readonly code: DatabaseErrorCode;

  constructor(code: DatabaseErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DatabaseError';
    this.code = code;
  }
}

/** The five characters by which PostgreSQL names a failure (PostgreSQL manual, appendix A); null for any other error. */
export function sqlState(error: unknown): string | null {
  return error instanceof pg.DatabaseError ? (error.code ?? null) : null;
}

/** Whether a CHECK, a trigger's rule, a key or a foreign key of this name has refused the statement. */
export function isConstraintViolation(error: unknown, constraint?: string): boolean {
  return (
    error instanceof pg.DatabaseError &&
    (error.code?.startsWith('23') ?? false) &&
    (constraint === undefined || error.constraint === constraint)
  );
}

const CONNECTION_STATES = /^(08|57P0[123]|53300)/u;
const CONNECTION_FAULTS: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/** Whether the server is away, ending or full: the same statement may succeed later. */
export function isConnectionFailure(error: unknown): boolean {
  const state = sqlState(error);
  if (state !== null) return CONNECTION_STATES.test(state);
  if (!(error instanceof Error)) return false;
  const { code } = error as NodeJS.ErrnoException;
  // The driver has no codes for these.
  return (
    (code !== undefined && CONNECTION_FAULTS.has(code)) ||
    /^(Connection terminated|timeout expired|timeout exceeded when trying to connect|Query read timeout|Client (has encountered a connection error|was closed))/u.test(error.message)
  );
}
