import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { connectDatabase, type Database } from './connection.ts';
import { sqlState } from './database-error.ts';
import { ROLES, TABLES, type RoleName } from './privileges.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';

/** The table of grants as the domain states it, typed once more: S, I and U per role. */
const GRANTS: readonly (readonly [table: string, runtime: string, admin: string, ingress: string, manager: string, executor: string])[] = [
  ['schema_migrations', 'S', 'S', 'S', 'S', 'S'],
  ['schema_capabilities', 'S', 'S', 'S', 'S', 'S'],
  ['projects', 'S', 'S', '–', 'S', 'S'],
  ['project_role_bindings', 'S', 'S', '–', 'S', 'S'],
  ['security_audit_events', 'I', 'SI', 'I', 'SI', 'SI'],
  ['worker_sessions', 'S', 'S', 'SIU', 'S', '–'],
  ['worker_session_history', 'S', 'S', 'SI', 'S', '–'],
  ['worker_credentials', '–', 'SIU', 'S', '–', 'SIU'],
  ['worker_credential_mutations', '–', 'SI', '–', '–', 'SI'],
  ['worker_credential_stage_discards', '–', 'SI', '–', '–', 'SI'],
  ['worker_credential_deliveries', '–', 'SI', 'SI', '–', 'SI'],
  ['worker_credential_management_plans', '–', '–', '–', 'SI', 'S'],
  ['approval_requests', '–', 'SIU', '–', 'SIU', 'SU'],
  ['approved_action_dispatches', '–', 'SI', '–', '–', 'SI'],
  ['approved_action_executions', '–', 'SIU', '–', '–', 'SIU'],
];

const COLUMNS = ['ql3_runtime', 'ql3_admin', 'ql3_worker_ingress', 'ql3_worker_credential_manager', 'ql3_worker_credential_executor'] as const;

/** Statements that need exactly one privilege and can change nothing. What else may stop them comes after the privilege. */
const STATEMENTS: readonly (readonly [letter: string, sql: (table: string, column: string) => string])[] = [
  ['S', (table) => `SELECT FROM ql3.${table} LIMIT 0`],
  ['I', (table) => `INSERT INTO ql3.${table} DEFAULT VALUES`],
  ['U', (table, column) => `UPDATE ql3.${table} SET ${column} = NULL WHERE false`],
  ['D', (table) => `DELETE FROM ql3.${table} WHERE false`],
  ['T', (table) => `TRUNCATE ql3.${table}`],
  ['L', (table) => `LOCK TABLE ql3.${table} IN ACCESS EXCLUSIVE MODE`],
  ['A', (table) => `ALTER TABLE ql3.${table} ADD COLUMN extra text`],
  ['X', (table) => `DROP TABLE ql3.${table}`],
];

let database: TestDatabase;
const pools = new Map<RoleName, Database>();

before(async () => {
  database = await createTestDatabase();
  for (const role of ROLES) pools.set(role, database.open(role));
});
after(() => database.close());

test('the table names every table of the schema once', () => {
  assert.deepEqual(GRANTS.map(([table]) => table), [...TABLES]);
});

for (const [table, ...cells] of GRANTS) {
  test(`${table}: each role may do what its cell says, and nothing else`, async () => {
    const column = await firstColumn(table);
    for (const [index, role] of COLUMNS.entries()) {
      // LOCK IN ACCESS EXCLUSIVE MODE is open to whoever may UPDATE; it holds no longer than the transaction.
      const allowed = cells[index]!.replace('U', 'UL');
      for (const [letter, sql] of STATEMENTS) {
        const state = await stateOf(role, sql(table, column));
        assert.equal(state !== '42501', allowed.includes(letter), `${role} ${letter} on ${table}: ${String(state)}`);
      }
    }
  });
}

test('the owner may do everything with every table', async () => {
  for (const [table] of GRANTS) {
    for (const [letter, sql] of STATEMENTS) {
      assert.notEqual(await stateOf('ql3_migration', sql(table, await firstColumn(table))), '42501', `${letter} on ${table}`);
    }
  }
});

const FORBIDDEN = [
  'CREATE TABLE ql3.mine (id integer)',
  'CREATE TABLE public.mine (id integer)',
  'CREATE TEMPORARY TABLE mine (id integer)',
  'CREATE SCHEMA mine',
  'CREATE FUNCTION ql3.mine() RETURNS integer LANGUAGE sql RETURN 1',
  'ALTER TABLE ql3.projects DISABLE TRIGGER ALL',
  'DROP FUNCTION ql3.require_next_version()',
  'SET session_replication_role = replica',
  "COPY ql3.schema_migrations TO '/tmp/never'",
  'CREATE ROLE mine',
  'ALTER ROLE CURRENT_USER CREATEDB',
];

for (const role of COLUMNS) {
  test(`${role}: no DDL, no file, no other role, no trigger left out`, async () => {
    for (const sql of FORBIDDEN) assert.equal(await stateOf(role, sql), '42501', sql);
    await assert.rejects(pools.get(role)!.query('CREATE DATABASE mine'), isForbidden);
    for (const other of ['postgres', ...ROLES.filter((name) => name !== role)]) {
      assert.equal(await stateOf(role, `SET ROLE ${other}`), '42501', other);
    }
  });
}

test('the owner is no superuser and creates neither roles nor databases', async () => {
  for (const sql of ['CREATE ROLE mine', 'CREATE TABLE public.mine (id integer)', 'SET ROLE postgres', "COPY ql3.projects TO '/tmp/never'"]) {
    assert.equal(await stateOf('ql3_migration', sql), '42501', sql);
  }
  await assert.rejects(pools.get('ql3_migration')!.query('CREATE DATABASE mine'), isForbidden);
});

test('a login that is none of the six does not get into the database, nor anything from PUBLIC', async () => {
  const root = database.open('superuser');
  await root.query("CREATE ROLE stranger LOGIN PASSWORD 'stranger'");
  try {
    await assert.rejects(
      connectDatabase({ ...database.superuser, user: 'stranger', password: 'stranger' }),
      (error) => error instanceof Error && sqlState(error.cause) === '42501',
    );
    const { rows } = await root.query(`
      SELECT c.relname FROM pg_class c WHERE c.relnamespace = 'ql3'::regnamespace AND c.relkind IN ('r', 'v', 'm', 'p', 'S')
        AND (has_table_privilege('stranger', c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER') OR has_any_column_privilege('stranger', c.oid, 'SELECT, INSERT, UPDATE, REFERENCES'))
      UNION ALL SELECT proname FROM pg_proc WHERE pronamespace = 'ql3'::regnamespace AND has_function_privilege('stranger', oid, 'EXECUTE')
      UNION ALL SELECT typname FROM pg_type WHERE typnamespace = 'ql3'::regnamespace AND typtype = 'd' AND has_type_privilege('stranger', oid, 'USAGE')
      UNION ALL SELECT nspname FROM pg_namespace WHERE nspname IN ('ql3', 'public') AND has_schema_privilege('stranger', oid, 'USAGE, CREATE')`);
    assert.deepEqual(rows, []);
  } finally {
    await root.query('DROP ROLE stranger');
  }
});

const isForbidden = (error: unknown): boolean => sqlState(error) === '42501';

async function firstColumn(table: string): Promise<string> {
  const { rows } = await pools.get('ql3_migration')!.query<{ name: string }>(
    'SELECT attname AS name FROM pg_attribute WHERE attrelid = $1::regclass AND attnum = 1',
    [`ql3.${table}`],
  );
  return rows[0]!.name;
}

/** The SQLSTATE that the statement ends with in a transaction that is rolled back, or null. */
async function stateOf(role: RoleName, sql: string): Promise<string | null> {
  const client = await pools.get(role)!.connect();
  try {
    await client.query('BEGIN');
    try {
      await client.query(sql);
      return null;
    } catch (error) {
      return sqlState(error);
    } finally {
      await client.query('ROLLBACK');
    }
  } finally {
    client.release();
  }
}
