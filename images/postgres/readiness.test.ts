import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Database } from './connection.ts';
import { DatabaseError } from './database-error.ts';
import { ROLES, type RoleName } from './privileges.ts';
import { checkReadiness, requireReadiness, type ReadinessProblem } from './readiness.ts';
import { SCHEMA_SNAPSHOT } from './schema-snapshot.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';

let database: TestDatabase;
let root: Database;
const pools = new Map<RoleName, Database>();

before(async () => {
  database = await createTestDatabase();
  root = database.open('superuser');
  for (const role of ROLES) pools.set(role, database.open(role));
});
after(() => database.close());

for (const role of ROLES) {
  test(`a fresh database is ready for ${role}, and says what it is`, async () => {
    assert.deepEqual(await requireReadiness(pools.get(role)!, role), {
      ready: true,
      serverMajor: 18,
      currentUser: role,
      contractVersion: SCHEMA_SNAPSHOT.contractVersion,
      migrationIds: SCHEMA_SNAPSHOT.migrations.map(({ id }) => id),
      problems: [],
    });
  });
}

interface Fault {
  readonly fault: string;
  readonly undo: string;
  readonly role: RoleName;
  readonly check: ReadinessProblem['check'];
  readonly subject: RegExp;
}

const TAMPERED_FUNCTION = `CREATE OR REPLACE FUNCTION ql3.require_next_version() RETURNS trigger LANGUAGE plpgsql
  SET search_path = pg_catalog, pg_temp AS 'BEGIN RETURN NEW; END'`;

/** One thing too many or too few at a time, and where the report must point. */
const FAULTS: readonly Fault[] = [
  privilege('GRANT DELETE ON ql3.projects TO ql3_runtime', 'REVOKE DELETE ON ql3.projects FROM ql3_runtime', 'ql3_runtime', /^tables\.projects$/u),
  privilege('GRANT TRUNCATE ON ql3.approval_requests TO ql3_admin', 'REVOKE TRUNCATE ON ql3.approval_requests FROM ql3_admin', 'ql3_admin', /^tables\.approval_requests$/u),
  privilege('GRANT UPDATE (status) ON ql3.worker_sessions TO ql3_runtime', 'REVOKE UPDATE (status) ON ql3.worker_sessions FROM ql3_runtime', 'ql3_runtime', /^columns\.worker_sessions$/u),
  privilege('GRANT SELECT ON ql3.worker_credentials TO PUBLIC', 'REVOKE SELECT ON ql3.worker_credentials FROM PUBLIC', 'ql3_worker_credential_manager', /^tables\.worker_credentials$/u),
  privilege('GRANT SELECT ON ql3.projects TO ql3_runtime WITH GRANT OPTION', 'REVOKE GRANT OPTION FOR SELECT ON ql3.projects FROM ql3_runtime', 'ql3_runtime', /^grantable\.projects$/u),
  privilege('GRANT ql3_admin TO ql3_worker_ingress', 'REVOKE ql3_admin FROM ql3_worker_ingress', 'ql3_worker_ingress', /^memberships$/u),
  privilege('GRANT pg_read_all_data TO ql3_runtime WITH INHERIT TRUE', 'REVOKE pg_read_all_data FROM ql3_runtime', 'ql3_runtime', /^tables\.worker_credentials$/u),
  privilege('GRANT pg_signal_backend TO ql3_runtime', 'REVOKE pg_signal_backend FROM ql3_runtime', 'ql3_runtime', /^memberships$/u),
  privilege('GRANT EXECUTE ON FUNCTION ql3.require_next_version() TO ql3_admin', 'REVOKE EXECUTE ON FUNCTION ql3.require_next_version() FROM ql3_admin', 'ql3_admin', /^functions$/u),
  privilege('GRANT USAGE ON TYPE ql3.digest TO PUBLIC', 'REVOKE USAGE ON TYPE ql3.digest FROM PUBLIC', 'ql3_admin', /^types$/u),
  privilege('GRANT CREATE ON SCHEMA ql3 TO ql3_runtime', 'REVOKE CREATE ON SCHEMA ql3 FROM ql3_runtime', 'ql3_runtime', /^schemas\.ql3$/u),
  privilege('GRANT USAGE ON SCHEMA public TO PUBLIC', 'REVOKE USAGE ON SCHEMA public FROM PUBLIC', 'ql3_runtime', /^schemas\.public$/u),
  privilege('GRANT pg_write_server_files TO ql3_migration', 'REVOKE pg_write_server_files FROM ql3_migration', 'ql3_migration', /^memberships$/u),
  privilege('GRANT SET ON PARAMETER log_statement TO ql3_runtime', 'REVOKE SET ON PARAMETER log_statement FROM ql3_runtime', 'ql3_runtime', /^elsewhere$/u),
  privilege('GRANT EXECUTE ON FUNCTION pg_read_file(text) TO ql3_runtime', 'REVOKE EXECUTE ON FUNCTION pg_read_file(text) FROM ql3_runtime', 'ql3_runtime', /^elsewhere$/u),
  privilege('CREATE TABLE public.mine (); ALTER TABLE public.mine OWNER TO ql3_runtime', 'DROP TABLE public.mine', 'ql3_runtime', /^elsewhere$/u),
  privilege('REVOKE INSERT ON ql3.security_audit_events FROM ql3_worker_ingress', 'GRANT INSERT ON ql3.security_audit_events TO ql3_worker_ingress', 'ql3_worker_ingress', /^tables\.security_audit_events$/u),
  privilege('REVOKE SELECT ON ql3.projects FROM ql3_worker_credential_executor', 'GRANT SELECT ON ql3.projects TO ql3_worker_credential_executor', 'ql3_worker_credential_executor', /^tables\.projects$/u),
  privilege('REVOKE USAGE ON SCHEMA ql3 FROM ql3_worker_credential_manager', 'GRANT USAGE ON SCHEMA ql3 TO ql3_worker_credential_manager', 'ql3_worker_credential_manager', /^schemas\.ql3$/u),
  {
    ...privilege('REVOKE SELECT ON ql3.schema_migrations FROM ql3_admin', 'GRANT SELECT ON ql3.schema_migrations TO ql3_admin', 'ql3_admin', /^schema_migrations$/u),
    check: 'history',
  },
  role('ALTER ROLE ql3_runtime CREATEDB', 'ALTER ROLE ql3_runtime NOCREATEDB', 'ql3_runtime'),
  role('ALTER ROLE ql3_runtime CREATEROLE', 'ALTER ROLE ql3_runtime NOCREATEROLE', 'ql3_runtime'),
  role('ALTER ROLE ql3_admin SUPERUSER', 'ALTER ROLE ql3_admin NOSUPERUSER', 'ql3_admin'),
  role('ALTER ROLE ql3_admin BYPASSRLS', 'ALTER ROLE ql3_admin NOBYPASSRLS', 'ql3_admin'),
  role('ALTER ROLE ql3_migration REPLICATION', 'ALTER ROLE ql3_migration NOREPLICATION', 'ql3_migration'),
  schema(
    'ALTER TABLE ql3.approval_requests DROP CONSTRAINT approval_requests_separation_of_duty',
    'ALTER TABLE ql3.approval_requests ADD CONSTRAINT approval_requests_separation_of_duty CHECK (decided_by_id <> requested_by_id)',
    /^tables\.approval_requests\.constraints\.approval_requests_separation_of_duty$/u,
  ),
  schema('ALTER TABLE ql3.projects ADD COLUMN extra text', 'ALTER TABLE ql3.projects DROP COLUMN extra', /^tables\.projects\.columns\.extra$/u),
  schema('ALTER TABLE ql3.projects ALTER COLUMN state DROP NOT NULL', 'ALTER TABLE ql3.projects ALTER COLUMN state SET NOT NULL', /^tables\.projects\.columns\.state$/u),
  schema("ALTER TABLE ql3.projects ALTER COLUMN state SET DEFAULT 'active'", 'ALTER TABLE ql3.projects ALTER COLUMN state DROP DEFAULT', /^tables\.projects\.columns\.state$/u),
  schema(
    'DROP INDEX ql3.worker_credential_deliveries_one_per_token',
    'CREATE UNIQUE INDEX worker_credential_deliveries_one_per_token ON ql3.worker_credential_deliveries (token_digest) WHERE version = 1',
    /one_per_token$/u,
  ),
  schema('ALTER TABLE ql3.worker_sessions DISABLE TRIGGER worker_sessions_next', 'ALTER TABLE ql3.worker_sessions ENABLE TRIGGER worker_sessions_next', /^disabledTriggers$/u),
  schema('ALTER TABLE ql3.worker_sessions DISABLE TRIGGER ALL', 'ALTER TABLE ql3.worker_sessions ENABLE TRIGGER ALL', /^disabledTriggers$/u),
  schema(TAMPERED_FUNCTION, '', /^functions\.ql3\.require_next_version\(\)$/u),
  schema('CREATE FUNCTION ql3.extra() RETURNS integer LANGUAGE sql RETURN 1', 'DROP FUNCTION ql3.extra()', /^functions\.ql3\.extra\(\)$/u),
  schema('CREATE TABLE ql3.extra ()', 'DROP TABLE ql3.extra', /^tables\.extra$/u),
  schema('ALTER TABLE ql3.projects OWNER TO postgres', 'ALTER TABLE ql3.projects OWNER TO ql3_migration', /^tables\.projects\.kind$/u),
  schema('ALTER TABLE ql3.projects ENABLE ROW LEVEL SECURITY', 'ALTER TABLE ql3.projects DISABLE ROW LEVEL SECURITY', /^tables\.projects\.kind$/u),
  schema(
    'ALTER DOMAIN ql3.digest DROP CONSTRAINT digest_grammar',
    "ALTER DOMAIN ql3.digest ADD CONSTRAINT digest_grammar CHECK (VALUE ~ '^[0-9a-f]{64}$')",
    /^domains\.digest$/u,
  ),
  history(`UPDATE ql3.schema_migrations SET checksum = repeat('0', 64) WHERE migration_id = '0003-projects'`, `UPDATE ql3.schema_migrations SET checksum = '${checksumOf('0003-projects')}' WHERE migration_id = '0003-projects'`, /^0003-projects$/u),
  history(`INSERT INTO ql3.schema_migrations VALUES ('0099-unknown', repeat('0', 64), 1)`, `DELETE FROM ql3.schema_migrations WHERE migration_id = '0099-unknown'`, /^0099-unknown$/u),
  history(`DELETE FROM ql3.schema_migrations WHERE migration_id = '0003-projects'`, `INSERT INTO ql3.schema_migrations VALUES ('0003-projects', '${checksumOf('0003-projects')}', 1)`, /^0003-projects$/u),
  history('UPDATE ql3.schema_capabilities SET contract_version = 9', 'UPDATE ql3.schema_capabilities SET contract_version = 10', /^schema_capabilities$/u),
  history(`INSERT INTO ql3.schema_capabilities VALUES ('other', 1, '0001-schema', 1)`, `DELETE FROM ql3.schema_capabilities WHERE capability = 'other'`, /^schema_capabilities$/u),
  { fault: 'ALTER ROLE ql3_runtime SET default_transaction_read_only = on', undo: 'ALTER ROLE ql3_runtime RESET default_transaction_read_only', role: 'ql3_runtime', check: 'server', subject: /^writable$/u },
];

let originalFunction = '';

for (const { fault, undo, role: as, check, subject } of FAULTS) {
  test(`not ready for ${as}: ${fault.replaceAll(/\s+/gu, ' ').slice(0, 90)}`, async () => {
    const { rows } = await root.query<{ source: string }>("SELECT pg_get_functiondef('ql3.require_next_version()'::regprocedure) AS source");
    originalFunction ||= rows[0]!.source;
    await root.query(fault);
    // Settings of a role take effect with its next connection.
    const pool = database.open(as);
    try {
      const { ready, problems } = await checkReadiness(pool, as);
      assert.equal(ready, false);
      assert.ok(problems.some((problem) => problem.check === check && subject.test(problem.subject)), JSON.stringify(problems));
    } finally {
      await root.query(undo === '' ? originalFunction : undo);
    }
  });
}

test('after every fault was undone, the database is ready again for everybody', async () => {
  for (const role of ROLES) assert.deepEqual((await checkReadiness(pools.get(role)!, role)).problems, []);
});

test('the wrong user is told so, and the error names what is wrong', async () => {
  await assert.rejects(
    requireReadiness(pools.get('ql3_runtime')!, 'ql3_admin'),
    (error) =>
      error instanceof DatabaseError &&
      error.code === 'QL3_DATABASE_NOT_READY' &&
      error.message.includes('currentUser: expected "ql3_admin", got "ql3_runtime"'),
  );
});

test('an empty database is not ready, and that is an answer, not a crash', async () => {
  const empty = await createTestDatabase({ empty: true });
  try {
    const readiness = await checkReadiness(empty.open('ql3_worker_ingress'), 'ql3_worker_ingress');
    assert.deepEqual([readiness.ready, readiness.contractVersion, readiness.migrationIds], [false, null, []]);
    assert.ok(readiness.problems.some(({ check }) => check === 'history'));
  } finally {
    await empty.close();
  }
});

test('a server that is away is unavailable, and ready again when it is back', async () => {
  await database.server.interrupt('shutdown');
  try {
    await assert.rejects(
      checkReadiness(pools.get('ql3_runtime')!, 'ql3_runtime'),
      (error) => error instanceof DatabaseError && error.code === 'QL3_DATABASE_UNAVAILABLE',
    );
  } finally {
    await database.server.resume();
  }
  assert.equal((await checkReadiness(pools.get('ql3_runtime')!, 'ql3_runtime')).ready, true);
});

function privilege(fault: string, undo: string, of: RoleName, subject: RegExp): Fault {
  return { fault, undo, role: of, check: 'privilege', subject };
}

function role(fault: string, undo: string, of: RoleName): Fault {
  return { fault, undo, role: of, check: 'role', subject: /^attributes$/u };
}

function schema(fault: string, undo: string, subject: RegExp): Fault {
  return { fault, undo, role: 'ql3_runtime', check: 'schema', subject };
}

function history(fault: string, undo: string, subject: RegExp): Fault {
  return { fault, undo, role: 'ql3_runtime', check: 'history', subject };
}

function checksumOf(id: string): string {
  return SCHEMA_SNAPSHOT.migrations.find((migration) => migration.id === id)!.checksum;
}
