import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Database } from './connection.ts';
import { DatabaseError, isConstraintViolation, sqlState, type DatabaseErrorCode } from './database-error.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';
import { inTransaction, lockInTransaction, type Transaction } from './transaction.ts';

let database: TestDatabase;
let pool: Database;

before(async () => {
  database = await createTestDatabase();
  pool = database.open('superuser');
  await pool.query('CREATE TABLE public.counters (id integer PRIMARY KEY, value integer NOT NULL CHECK (value < 100))');
  await pool.query('INSERT INTO public.counters VALUES (1, 0), (2, 0)');
});
after(() => database.close());

const refusedAs = (code: DatabaseErrorCode) => (error: unknown) => error instanceof DatabaseError && error.code === code;

const valueOf = async (id: number): Promise<number | undefined> =>
  (await pool.query<{ value: number }>('SELECT value FROM public.counters WHERE id = $1', [id])).rows[0]?.value;

test('a transaction is serializable, has its three timeouts, and leaves none behind', async () => {
  const settings = (transaction: Pick<Transaction, 'query'>): Promise<unknown> =>
    transaction
      .query(`SELECT current_setting('transaction_isolation') AS isolation, current_setting('statement_timeout') AS statement,
        current_setting('lock_timeout') AS lock, current_setting('idle_in_transaction_session_timeout') AS idle`)
      .then(({ rows }) => rows[0]);
  assert.deepEqual(await inTransaction(pool, settings), { isolation: 'serializable', statement: '5s', lock: '1s', idle: '10s' });
  assert.deepEqual(await settings(pool), { isolation: 'read committed', statement: '0', lock: '0', idle: '0' });
});

test('of two transactions that would be wrong together, the second runs again and both are right', async () => {
  // Each sets its counter to the other's value plus one: after any order one of them has seen the other.
  const bothHaveRead = meetingPoint(2);
  let attempts = 0;
  const copy = (from: number, to: number): Promise<unknown> => {
    let first = true;
    return inTransaction(pool, async (transaction) => {
      attempts += 1;
      const { rows } = await transaction.query<{ value: number }>('SELECT value FROM public.counters WHERE id = $1', [from]);
      if (first) await bothHaveRead();
      first = false;
      await transaction.query('UPDATE public.counters SET value = $2 WHERE id = $1', [to, rows[0]!.value + 1]);
    });
  };
  await Promise.all([copy(1, 2), copy(2, 1)]);
  assert.equal(attempts, 3);
  assert.deepEqual(new Set([await valueOf(1), await valueOf(2)]), new Set([1, 2]));
});

test('a real deadlock is broken and both transactions commit', async () => {
  const bothHoldOne = meetingPoint(2);
  const lockBoth = (first: string, second: string): Promise<void> => {
    let met = false;
    return inTransaction(
      pool,
      async (transaction) => {
        await lockInTransaction(transaction, 'worker', first);
        if (!met) await bothHoldOne();
        met = true;
        await lockInTransaction(transaction, 'worker', second);
      },
      { lockTimeoutMs: 30_000, statementTimeoutMs: 30_000, idleTimeoutMs: 30_000 },
    );
  };
  await Promise.all([lockBoth('a', 'b'), lockBoth('b', 'a')]);
});

for (const state of ['40001', '40P01', '55P03']) {
  test(`SQLSTATE ${state} is tried three times and no more`, async () => {
    let attempts = 0;
    const failing = inTransaction(pool, async (transaction) => {
      attempts += 1;
      await transaction.query(`DO $$ BEGIN RAISE EXCEPTION 'again' USING ERRCODE = '${state}'; END $$`);
    });
    await assert.rejects(failing, (error) => refusedAs('QL3_DATABASE_CONTENTION')(error) && sqlState((error as Error).cause) === state);
    assert.equal(attempts, 3);
  });
}

test('any other error is not tried again, rolls back, and comes through as it is', async () => {
  const before = await valueOf(1);
  const own = new Error('the caller changed its mind');
  let attempts = 0;
  const change = async (transaction: Transaction): Promise<void> => {
    attempts += 1;
    await transaction.query('UPDATE public.counters SET value = 50 WHERE id = 1');
  };
  await assert.rejects(inTransaction(pool, async (transaction) => {
    await change(transaction);
    throw own;
  }), (error) => error === own);
  await assert.rejects(inTransaction(pool, async (transaction) => {
    await change(transaction);
    await transaction.query('UPDATE public.counters SET value = 100 WHERE id = 2');
  }), (error) => isConstraintViolation(error, 'counters_value_check'));
  assert.deepEqual([attempts, await valueOf(1)], [2, before]);
});

test('an error that the operation swallows does not become a success', async () => {
  await assert.rejects(
    inTransaction(pool, (transaction) => transaction.query('SELECT 1 / 0').catch(() => 'nothing happened')),
    refusedAs('QL3_DATABASE_CONTENTION'),
  );
});

test('a statement that takes too long, and a lock that is never given, end in time', async () => {
  await assert.rejects(
    inTransaction(pool, (transaction) => transaction.query('SELECT pg_sleep(60)'), { statementTimeoutMs: 50 }),
    (error) => sqlState(error) === '57014',
  );
  await inTransaction(pool, async (holder) => {
    await lockInTransaction(holder, 'delivery', 'd');
    const waiting = inTransaction(pool, (transaction) => lockInTransaction(transaction, 'delivery', 'd'), { lockTimeoutMs: 20 });
    await assert.rejects(waiting, refusedAs('QL3_DATABASE_CONTENTION'));
  });
});

test('an operation that dawdles inside its transaction is cut off by the server', async () => {
  await assert.rejects(
    inTransaction(
      pool,
      async (transaction) => {
        await new Promise((later) => setTimeout(later, 300));
        await transaction.query('SELECT 1');
      },
      { idleTimeoutMs: 50 },
    ),
  );
  assert.equal((await pool.query<{ one: number }>('SELECT 1 AS one')).rows[0]?.one, 1);
});

test('a connection lost before COMMIT committed nothing; one lost during COMMIT is reported as unknown', async () => {
  const before = await valueOf(1);
  await assert.rejects(
    inTransaction(pool, async (transaction) => {
      await transaction.query('UPDATE public.counters SET value = 60 WHERE id = 1');
      const { rows } = await transaction.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      await pool.query('SELECT pg_terminate_backend($1, 5000)', [rows[0]!.pid]);
      await transaction.query('SELECT 1');
    }),
    refusedAs('QL3_DATABASE_UNAVAILABLE'),
  );
  assert.equal(await valueOf(1), before);

  // A deferred trigger makes COMMIT wait for a lock, so that it can be cut off in the middle.
  await pool.query(`CREATE FUNCTION public.wait() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_advisory_xact_lock(42); RETURN NULL; END'`);
  await pool.query('CREATE CONSTRAINT TRIGGER wait AFTER UPDATE ON public.counters DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.wait()');
  const holder = await pool.connect();
  await holder.query('SELECT pg_advisory_lock(42)');
  const unknown = assert.rejects(
    inTransaction(pool, (transaction) => transaction.query('UPDATE public.counters SET value = 61 WHERE id = 1'), { lockTimeoutMs: 30_000, statementTimeoutMs: 30_000 }),
    refusedAs('QL3_DATABASE_OUTCOME_UNKNOWN'),
  );
  await holder.query(`DO $$ BEGIN
    WHILE NOT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted) LOOP PERFORM pg_sleep(0.01); END LOOP;
    PERFORM pg_terminate_backend(pid, 5000) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted;
  END $$`);
  await unknown;
  holder.release(true);
  await pool.query('DROP TRIGGER wait ON public.counters');
  assert.equal(await valueOf(1), before);
});

test('PostgreSQL that crashes is unavailable, and the same pool works when it is back', async () => {
  const before = await valueOf(1);
  await database.server.interrupt('crash');
  await assert.rejects(inTransaction(pool, (transaction) => transaction.query('SELECT 1')), refusedAs('QL3_DATABASE_UNAVAILABLE'));
  await database.server.resume();
  await inTransaction(pool, (transaction) => transaction.query('UPDATE public.counters SET value = value + 1 WHERE id = 1'));
  assert.equal(await valueOf(1), before! + 1);
});

test('a transaction that is to be aborted is not begun', async () => {
  await assert.rejects(inTransaction(pool, () => assert.fail('never'), { signal: AbortSignal.abort() }), { name: 'AbortError' });
});

/** Lets everybody go on as soon as the given number has arrived. */
function meetingPoint(count: number): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let arrived = 0;
  return async () => {
    arrived += 1;
    if (arrived === count) resolve();
    await promise;
  };
}
