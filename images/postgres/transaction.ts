import type pg from 'pg';
import type { Database } from './connection.ts';
import { DatabaseError, isConnectionFailure, sqlState } from './database-error.ts';

/** A connection inside a transaction. It is not valid after the operation has settled. */
export interface Transaction {
  query<Row extends pg.QueryResultRow = Record<string, unknown>>(
    text: string,
    values?: readonly unknown[],
  ): Promise<pg.QueryResult<Row>>;
}

export interface TransactionOptions {
  readonly statementTimeoutMs?: number;
  readonly lockTimeoutMs?: number;
  readonly idleTimeoutMs?: number;
  readonly signal?: AbortSignal;
}

export const TRANSACTION_ATTEMPTS = 3;

/** Serialization failure, deadlock, lock not available: the same transaction may well succeed when run again. */
const RETRYABLE: ReadonlySet<string> = new Set(['40001', '40P01', '55P03']);

/**
 * Runs the operation in a SERIALIZABLE transaction, at most three times. The operation must have no effect outside of the
 * transaction, because it may run again. An error that it throws rolls back and is thrown on.
 */
export async function inTransaction<T>(
  database: Database,
  operation: (transaction: Transaction) => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    options.signal?.throwIfAborted();
    try {
      return await attemptOnce(database, operation, options);
    } catch (error) {
      const state = sqlState(error);
      if (state === null || !RETRYABLE.has(state)) throw error;
      if (attempt === TRANSACTION_ATTEMPTS) {
        throw new DatabaseError(
          'QL3_DATABASE_CONTENTION',
          `expected a transaction to commit within ${TRANSACTION_ATTEMPTS} attempts, got SQLSTATE ${state} each time; try again later`,
          { cause: error },
        );
      }
    }
  }
}

/** Serialises transactions that concern the same thing, until they end. Take all locks of a transaction in one fixed order. */
export async function lockInTransaction(
  transaction: Transaction,
  kind: 'worker' | 'credential' | 'delivery' | 'approval',
  id: string,
): Promise<void> {
  await transaction.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`ql3:${kind}:${id}`]);
}

async function attemptOnce<T>(
  database: Database,
  operation: (transaction: Transaction) => Promise<T>,
  options: TransactionOptions,
): Promise<T> {
  const client = await connect(database);
  let broken: Error | undefined;
  try {
    await client.query(beginStatement(options));
    const transaction: Transaction = { query: (text, values) => client.query(text, values as unknown[]) };
    const result = await operation(transaction);
    await commit(client);
    return result;
  } catch (error) {
    if (isConnectionFailure(error) || error instanceof DatabaseError) broken = error as Error;
    else broken = await rollback(client);
    throw unavailable(error);
  } finally {
    // A connection that could not roll back is closed, and its transaction with it.
    client.release(broken);
  }
}

function beginStatement(options: TransactionOptions): string {
  const { statementTimeoutMs = 5_000, lockTimeoutMs = 1_000, idleTimeoutMs = 10_000 } = options;
  return [
    'BEGIN ISOLATION LEVEL SERIALIZABLE READ WRITE',
    `SET LOCAL statement_timeout = ${Math.trunc(statementTimeoutMs)}`,
    `SET LOCAL lock_timeout = ${Math.trunc(lockTimeoutMs)}`,
    `SET LOCAL idle_in_transaction_session_timeout = ${Math.trunc(idleTimeoutMs)}`,
  ].join('; ');
}

async function connect(database: Database): Promise<pg.PoolClient> {
  try {
    return await database.connect();
  } catch (error) {
    throw unavailable(error);
  }
}

async function commit(client: pg.PoolClient): Promise<void> {
  let result: pg.QueryResult;
  try {
    result = await client.query('COMMIT');
  } catch (cause) {
    if (!isConnectionFailure(cause)) throw cause;
    throw new DatabaseError(
      'QL3_DATABASE_OUTCOME_UNKNOWN',
      'the connection was lost while committing: read back what was to be written before trying again',
      { cause },
    );
  }
  // PostgreSQL answers COMMIT of a failed transaction with ROLLBACK and no error.
  if (result.command !== 'COMMIT') {
    throw new DatabaseError(
      'QL3_DATABASE_CONTENTION',
      'expected COMMIT, got ROLLBACK: an error of a statement was swallowed by the operation',
    );
  }
}

async function rollback(client: pg.PoolClient): Promise<Error | undefined> {
  try {
    await client.query('ROLLBACK');
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

function unavailable(error: unknown): unknown {
  if (!isConnectionFailure(error)) return error;
  return new DatabaseError(
    'QL3_DATABASE_UNAVAILABLE',
    `expected PostgreSQL to answer, got: ${(error as Error).message}; nothing was committed, try again later`,
    { cause: error },
  );
}
