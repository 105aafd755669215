export type LocalPostgresErrorCode =
  | 'QL3_LOCAL_POSTGRES_PLATFORM_UNSUPPORTED'
  | 'QL3_LOCAL_POSTGRES_INITDB_FAILED'
  | 'QL3_LOCAL_POSTGRES_START_FAILED'
  | 'QL3_LOCAL_POSTGRES_START_TIMEOUT'
  | 'QL3_LOCAL_POSTGRES_STATE';

export class LocalPostgresError extends Error {
  readonly code: LocalPostgresErrorCode;

  constructor(code: LocalPostgresErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'LocalPostgresError';
    this.code = code;
  }
}
