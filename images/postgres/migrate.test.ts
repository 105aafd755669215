import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type pg from 'pg';
import { connectDatabase } from './connection.ts';
import { DatabaseError, type DatabaseErrorCode } from './database-error.ts';
import { migrate, readHistory } from './migrate.ts';
import { readMigrations, toMigration } from './migrations.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';

const MIGRATIONS = readMigrations();

let keeper: TestDatabase;
const open: (() => Promise<void>)[] = [];

// One database stays open for all tests, so that the server does.
before(async () => {
  keeper = await createTestDatabase();
});
after(async () => {
  for (const close of open.toReversed()) await close();
  await keeper.close();
});

const refusedAs = (code: DatabaseErrorCode) => (error: unknown) => error instanceof DatabaseError && error.code === code;

async function emptyDatabase(): Promise<{ database: TestDatabase; owner: pg.Client }> {
  const database = await createTestDatabase({ empty: true });
  const owner = await connectDatabase(database.config('ql3_migration'));
  open.push(() => database.close(), () => owner.end());
  return { database, owner };
}

test('an empty database gets the whole schema, and a second run finds nothing to do', async () => {
  const { owner } = await emptyDatabase();
  const first = await migrate(owner);
  assert.deepEqual(first, { applied: MIGRATIONS.map(({ id }) => id), contractVersion: MIGRATIONS.length });
  assert.deepEqual(await migrate(owner), { applied: [], contractVersion: MIGRATIONS.length });
  assert.deepEqual(await readHistory(owner), MIGRATIONS.map(({ id, checksum }) => ({ id, checksum })));
  const { rows } = await owner.query('SELECT capability, contract_version, migration_id FROM ql3.schema_capabilities');
  assert.deepEqual(rows, [{ capability: 'ql3', contract_version: MIGRATIONS.length, migration_id: MIGRATIONS.at(-1)!.id }]);
});

test('of two that migrate at once, one leads and the other finds nothing to do', async () => {
  const { database, owner } = await emptyDatabase();
  const other = await connectDatabase(database.config('ql3_migration'));
  open.push(() => other.end());
  const outcomes = await Promise.all([migrate(owner), migrate(other)]);
  assert.deepEqual(outcomes.map(({ applied }) => applied.length).toSorted((a, b) => a - b), [0, MIGRATIONS.length]);
});

test('an upgrade applies only what is new', async () => {
  const { owner } = await emptyDatabase();
  await migrate(owner, MIGRATIONS.slice(0, 4));
  assert.deepEqual((await migrate(owner)).applied, MIGRATIONS.slice(4).map(({ id }) => id));
});

test('a history that is not word for word the beginning of the migrations is refused, and nothing changes', async () => {
  const { owner } = await emptyDatabase();
  await migrate(owner, MIGRATIONS.slice(0, 5));
  const history = await readHistory(owner);
  const changed = MIGRATIONS.with(2, toMigration(MIGRATIONS[2]!.id, `${MIGRATIONS[2]!.sql}\n-- a comment`));
  await assert.rejects(migrate(owner, changed), refusedAs('QL3_MIGRATION_CHANGED'));
  await assert.rejects(migrate(owner, MIGRATIONS.toSpliced(1, 1)), refusedAs('QL3_MIGRATION_MISSING'));
  await assert.rejects(migrate(owner, MIGRATIONS.toSpliced(3, 0, toMigration('0003-squeezed-in', 'SELECT 1'))), refusedAs('QL3_MIGRATION_MISSING'));
  await assert.rejects(migrate(owner, MIGRATIONS.slice(0, 4)), refusedAs('QL3_MIGRATION_UNKNOWN'));
  await owner.query("DELETE FROM ql3.schema_migrations WHERE migration_id = '0002-row-rules'");
  await assert.rejects(migrate(owner), refusedAs('QL3_MIGRATION_MISSING'));
  assert.equal((await readHistory(owner)).length, history.length - 1);
});

test('a migration that fails leaves no trace of itself and all of its predecessors', async () => {
  const { owner } = await emptyDatabase();
  const failing = [...MIGRATIONS, toMigration('0011-failing', 'CREATE TABLE ql3.extra (id integer); SELECT 1 / 0')];
  await assert.rejects(
    migrate(owner, failing),
    (error) => refusedAs('QL3_MIGRATION_FAILED')(error) && (error as Error).message.includes('0011-failing'),
  );
  const { rows } = await owner.query<{ extra: boolean }>("SELECT to_regclass('ql3.extra') IS NOT NULL AS extra");
  assert.equal(rows[0]!.extra, false);
  assert.deepEqual(await migrate(owner), { applied: [], contractVersion: MIGRATIONS.length });
});

test('a migration that ends its own transaction is found out', async () => {
  const { owner } = await emptyDatabase();
  await assert.rejects(migrate(owner, [...MIGRATIONS, toMigration('0011-loose', 'COMMIT; BEGIN')]), refusedAs('QL3_MIGRATION_FAILED'));
  assert.equal((await readHistory(owner)).length, MIGRATIONS.length);
});

test('a capability that is not at the predecessor is not advanced', async () => {
  const { owner } = await emptyDatabase();
  for (const tamper of ['contract_version = 3', "contract_version = 4, migration_id = '0003-projects'"]) {
    await migrate(owner, MIGRATIONS.slice(0, 4));
    await owner.query(`UPDATE ql3.schema_capabilities SET ${tamper}`);
    await assert.rejects(migrate(owner), refusedAs('QL3_MIGRATION_CAPABILITY'));
  }
  assert.equal((await readHistory(owner)).length, 4);
});

test('nobody but the owner migrates', async () => {
  const { database } = await emptyDatabase();
  for (const config of [database.config('ql3_admin'), database.superuser]) {
    const client = await connectDatabase(config);
    await assert.rejects(migrate(client), refusedAs('QL3_MIGRATION_ROLE'));
    await client.end();
  }
});

test('a leader that dies leaves the lead to the next', async () => {
  const { database, owner } = await emptyDatabase();
  const blocked = [toMigration('0001-schema', 'SELECT pg_sleep(60)'), ...MIGRATIONS.slice(1)];
  const leader = await connectDatabase({ ...database.config('ql3_migration'), applicationName: 'leader' });
  const dying = assert.rejects(migrate(leader, blocked));
  const root = database.open('superuser');
  // Whoever waits for the lead has it as soon as the leader's connection is gone.
  await root.query(`DO $$ BEGIN
    WHILE NOT EXISTS (SELECT FROM pg_stat_activity WHERE application_name = 'leader' AND wait_event = 'PgSleep') LOOP PERFORM pg_sleep(0.01); PERFORM pg_stat_clear_snapshot(); END LOOP;
    PERFORM pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'leader';
  END $$`);
  assert.equal((await migrate(owner)).applied.length, MIGRATIONS.length);
  await dying;
  await leader.end().catch(() => undefined);
});
