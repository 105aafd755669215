import type {
  HeartbeatRequest,
  HeartbeatResponse,
  RegisterRequest,
  RegisterResponse,
  TransitionRequest,
  TransitionResponse,
} from '../../core/session-wire.ts';
import type { Database } from '../connection.ts';
import { isConstraintViolation } from '../database-error.ts';
import { inTransaction } from '../transaction.ts';
import type { SessionCaller } from './worker-session-caller.ts';
import { heartbeatSession } from './worker-session-heartbeat.ts';
import { registerSession } from './worker-session-registration.ts';
import { transitionSession } from './worker-session-transition.ts';

/** Worker sessions, one transaction a change. A refused change throws WorkerSessionError and leaves no trace. */
export class WorkerSessionRepository {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  register(caller: SessionCaller, request: RegisterRequest, signal?: AbortSignal): Promise<RegisterResponse> {
    return onceMoreAfterFirst(() => inTransaction(this.#database, (transaction) => registerSession(transaction, caller, request), signal && { signal }));
  }

  heartbeat(caller: SessionCaller, request: HeartbeatRequest, signal?: AbortSignal): Promise<HeartbeatResponse> {
    return inTransaction(this.#database, (transaction) => heartbeatSession(transaction, caller, request), signal && { signal });
  }

  transition(caller: SessionCaller, request: TransitionRequest, signal?: AbortSignal): Promise<TransitionResponse> {
    return inTransaction(this.#database, (transaction) => transitionSession(transaction, caller, request), signal && { signal });
  }
}

/**
 * Where there is no row yet to lock, two first registrations meet at the key of the history, and PostgreSQL tells the
 * second of a duplicate instead of a serialization failure. Run again, it finds the row of the first.
 */
async function onceMoreAfterFirst<T>(register: () => Promise<T>): Promise<T> {
  try {
    return await register();
  } catch (error) {
    if (!isConstraintViolation(error, 'worker_session_history_pkey')) throw error;
    return await register();
  }
}
