import { DatabaseError, isConnectionFailure, sqlState } from '../../../postgres/database-error.ts';
import { WorkerSessionError } from '../../../postgres/repositories/worker-session-error.ts';
import { IngressRefusal } from './refusal.ts';

/** Reasons that may mean that the database is away. */
const DATABASE_REASONS: ReadonlySet<string> = new Set(['database_unavailable', 'database_outcome_unknown']);

/** Any failure in the terms of the wire; what is not a refusal of the caller is the ingress's own failure. */
export function toRefusal(error: unknown): IngressRefusal {
  if (error instanceof IngressRefusal) return error;
  if (error instanceof WorkerSessionError) return sessionRefusal(error);
  if (error instanceof Error && error.name === 'AbortError') return new IngressRefusal('request_timeout', 'deadline_before_change', { cause: error });
  return new IngressRefusal('worker_ingress_unavailable', unavailableBecause(error), { cause: error });
}

export function suspectsDatabase(refusal: IngressRefusal): boolean {
  return DATABASE_REASONS.has(refusal.reason);
}

/** Names of what went wrong, without messages: those of the database may quote values. Null for what is no failure. */
export function describeCause(refusal: IngressRefusal): Record<string, unknown> | null {
  const { cause } = refusal;
  if (refusal.status < 500 || !(cause instanceof Error) || cause instanceof WorkerSessionError) return null;
  const root = cause.cause instanceof Error ? cause.cause : cause;
  const constraint = 'constraint' in root && typeof root.constraint === 'string' ? root.constraint : null;
  return { name: cause.name, code: cause instanceof DatabaseError ? cause.code : null, sqlState: sqlState(root), constraint };
}

function sessionRefusal(error: WorkerSessionError): IngressRefusal {
  switch (error.code) {
    case 'WORKER_SESSION_FENCED':
      return new IngressRefusal('worker_session_fenced', error.reason, { cause: error });
    case 'WORKER_SESSION_INVALID':
      return new IngressRefusal('invalid_worker_request', error.reason, { cause: error });
    case 'WORKER_SESSION_DELIVERY_NOT_PUBLISHED':
      return new IngressRefusal('worker_ingress_unavailable', error.reason, { cause: error });
  }
}

function unavailableBecause(error: unknown): string {
  if (error instanceof DatabaseError && error.code === 'QL3_DATABASE_OUTCOME_UNKNOWN') return 'database_outcome_unknown';
  if (error instanceof DatabaseError && error.code === 'QL3_DATABASE_CONTENTION') return 'database_contention';
  if (error instanceof DatabaseError && error.code === 'QL3_DATABASE_UNAVAILABLE') return 'database_unavailable';
  return isConnectionFailure(error) ? 'database_unavailable' : 'internal_error';
}
