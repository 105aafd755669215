import { describeSchema } from './catalog.ts';
import type { Database, DatabaseClient } from './connection.ts';
import { DatabaseError, isConnectionFailure } from './database-error.ts';
import { CAPABILITY, readHistory } from './migrate.ts';
import type { RoleName } from './privileges.ts';
import { privilegeProblems } from './readiness-privileges.ts';
import { differences, type ReadinessProblem } from './readiness-problem.ts';
import { SCHEMA_SNAPSHOT, type SchemaSnapshot } from './schema-snapshot.ts';

export type { ReadinessProblem };

export interface Readiness {
  readonly ready: boolean;
  readonly serverMajor: number;
  readonly currentUser: string;
  /** As the database says; null where it says nothing. */
  readonly contractVersion: number | null;
  readonly migrationIds: readonly string[];
  readonly problems: readonly ReadinessProblem[];
}

export const MINIMUM_SERVER_MAJOR = 16;
export const MAXIMUM_SERVER_MAJOR = 18;

/** Whether this role may work on this database: all that is wrong is listed, not only the first. Changes nothing. */
export async function checkReadiness(
  database: Database,
  role: RoleName,
  snapshot: SchemaSnapshot = SCHEMA_SNAPSHOT,
): Promise<Readiness> {
  let client: DatabaseClient & { release(error?: Error): void };
  try {
    client = await database.connect();
  } catch (error) {
    throw unavailable(error);
  }
  let broken: Error | undefined;
  try {
    return await examine(client, role, snapshot);
  } catch (error) {
    broken = error as Error;
    throw unavailable(error);
  } finally {
    client.release(broken);
  }
}

/** As `checkReadiness`, and throws unless everything is as it must be. */
export async function requireReadiness(
  database: Database,
  role: RoleName,
  snapshot: SchemaSnapshot = SCHEMA_SNAPSHOT,
): Promise<Readiness> {
  const readiness = await checkReadiness(database, role, snapshot);
  if (readiness.ready) return readiness;
  const shown = readiness.problems
    .slice(0, 5)
    .map(({ check, subject, expected, got }) => `${check} ${subject}: expected ${expected}, got ${got}`);
  const more = readiness.problems.length - shown.length;
  throw new DatabaseError(
    'QL3_DATABASE_NOT_READY',
    `the database may not be used as ${role}: ${shown.join('; ')}${more > 0 ? `; and ${more} more` : ''}`,
  );
}

interface ServerFacts {
  readonly major: number;
  readonly user: string;
  readonly session_user: string;
  readonly writable: boolean;
  readonly primary: boolean;
  readonly attributes: readonly string[];
}

const SERVER_FACTS = `
SELECT current_setting('server_version_num')::integer / 10000 AS major, current_user::text AS user, session_user::text AS session_user,
  current_setting('transaction_read_only') = 'off' AS writable, NOT pg_is_in_recovery() AS primary,
  to_jsonb(array_remove(ARRAY[
    CASE WHEN r.rolcanlogin THEN 'LOGIN' END,
    CASE WHEN r.rolsuper THEN 'SUPERUSER' END,
    CASE WHEN r.rolcreatedb THEN 'CREATEDB' END,
    CASE WHEN r.rolcreaterole THEN 'CREATEROLE' END,
    CASE WHEN r.rolreplication THEN 'REPLICATION' END,
    CASE WHEN r.rolbypassrls THEN 'BYPASSRLS' END], NULL)) AS attributes
FROM pg_roles r WHERE r.rolname = current_user`;

async function examine(client: DatabaseClient, role: RoleName, snapshot: SchemaSnapshot): Promise<Readiness> {
  const facts = (await client.query<ServerFacts>(SERVER_FACTS)).rows[0]!;
  const problems = [...serverProblems(facts), ...roleProblems(facts, role)];
  const found = await readRecord(client);
  if (found === null) {
    problems.push({ check: 'history', subject: 'schema_migrations', expected: 'a readable history', got: 'none; migrate and grant first' });
  } else {
    problems.push(...recordProblems(found, snapshot));
  }
  problems.push(...differences('schema', snapshot.schema, await describeSchema(client)));
  if (facts.user === role) problems.push(...(await privilegeProblems(client, role, Object.keys(snapshot.schema.tables))));
  return {
    ready: problems.length === 0,
    serverMajor: facts.major,
    currentUser: facts.user,
    contractVersion: found?.contractVersion ?? null,
    migrationIds: found?.migrations.map(({ id }) => id) ?? [],
    problems,
  };
}

function serverProblems(facts: ServerFacts): readonly ReadinessProblem[] {
  const supported = facts.major >= MINIMUM_SERVER_MAJOR && facts.major <= MAXIMUM_SERVER_MAJOR;
  return [
    ...(supported ? [] : differences('server', `${MINIMUM_SERVER_MAJOR} to ${MAXIMUM_SERVER_MAJOR}`, facts.major, 'major')),
    ...differences('server', { primary: true, writable: true }, { primary: facts.primary, writable: facts.writable }),
  ];
}

function roleProblems(facts: ServerFacts, role: RoleName): readonly ReadinessProblem[] {
  return differences(
    'role',
    { currentUser: role, sessionUser: role, attributes: ['LOGIN'] },
    { currentUser: facts.user, sessionUser: facts.session_user, attributes: facts.attributes },
  );
}

type SchemaRecord = Pick<SchemaSnapshot, 'migrations'> & {
  readonly contractVersion: number | null;
  readonly capabilities: readonly (readonly [string, number, string])[];
};

/** The history and the capabilities; null where the role may not even read them. */
async function readRecord(client: DatabaseClient): Promise<SchemaRecord | null> {
  const { rows } = await client.query<{ readable: boolean }>(`SELECT coalesce(
    has_schema_privilege(to_regnamespace('ql3')::oid, 'USAGE') AND bool_and(has_table_privilege(c.oid, 'SELECT')) AND count(*) = 2, false) AS readable
    FROM pg_class c WHERE c.relnamespace = to_regnamespace('ql3')::oid AND c.relname IN ('schema_migrations', 'schema_capabilities')`);
  if (rows[0]?.readable !== true) return null;
  const migrations = await readHistory(client);
  const capabilities = await client.query<{ capability: string; contract_version: number; migration_id: string }>(
    'SELECT capability, contract_version, migration_id FROM ql3.schema_capabilities ORDER BY capability',
  );
  const own = capabilities.rows.find((row) => row.capability === CAPABILITY);
  return {
    migrations,
    contractVersion: own?.contract_version ?? null,
    capabilities: capabilities.rows.map((row) => [row.capability, row.contract_version, row.migration_id] as const),
  };
}

function recordProblems(found: SchemaRecord, snapshot: SchemaSnapshot): readonly ReadinessProblem[] {
  const checksums = (migrations: SchemaSnapshot['migrations']): Record<string, string> =>
    Object.fromEntries(migrations.map(({ id, checksum }) => [id, checksum]));
  const capability = [CAPABILITY, snapshot.contractVersion, snapshot.migrations.at(-1)?.id];
  return [
    ...differences('history', checksums(snapshot.migrations), checksums(found.migrations)),
    ...differences('history', [capability], found.capabilities, 'schema_capabilities'),
  ];
}

function unavailable(error: unknown): unknown {
  if (!isConnectionFailure(error)) return error;
  return new DatabaseError('QL3_DATABASE_UNAVAILABLE', `expected PostgreSQL to answer, got: ${(error as Error).message}`, { cause: error });
}
