import type { DatabaseClient } from './connection.ts';
import { DatabaseError, sqlState } from './database-error.ts';
import { DATABASE_NOW_MS } from './clock.ts';
import { readMigrations, type Migration } from './migrations.ts';
import { OWNER } from './privileges.ts';

export const CAPABILITY = 'ql3';

export interface MigrationOutcome {
  readonly applied: readonly string[];
  readonly contractVersion: number;
}

const LEADER_LOCK = "hashtextextended('ql3:migrations', 0)";
const LEADER_TIMEOUT_MS = 60_000;

/**
 * Brings the schema up to the given migrations, one transaction each. Whoever comes second waits for the first, and then
 * finds nothing to do. A history that is not a prefix of the migrations, word for word, is refused and nothing is changed.
 */
export async function migrate(
  client: DatabaseClient,
  migrations: readonly Migration[] = readMigrations(),
): Promise<MigrationOutcome> {
  await requireOwner(client);
  await takeLead(client);
  try {
    const history = await readHistory(client);
    requirePrefix(history, migrations);
    const pending = migrations.slice(history.length);
    for (const [index, migration] of pending.entries()) {
      await apply(client, migration, history.length + index + 1, migrations[history.length + index - 1]);
    }
    return { applied: pending.map(({ id }) => id), contractVersion: migrations.length };
  } finally {
    await client.query(`SELECT pg_advisory_unlock(${LEADER_LOCK})`).catch(() => undefined);
  }
}

export type AppliedMigration = Pick<Migration, 'id' | 'checksum'>;

export async function readHistory(client: Pick<DatabaseClient, 'query'>): Promise<readonly AppliedMigration[]> {
  const table = await client.query<{ exists: boolean }>("SELECT to_regclass('ql3.schema_migrations') IS NOT NULL AS exists");
  if (table.rows[0]?.exists !== true) return [];
  const history = await client.query<AppliedMigration>(
    'SELECT migration_id AS id, checksum FROM ql3.schema_migrations ORDER BY migration_id',
  );
  return history.rows;
}

async function requireOwner(client: DatabaseClient): Promise<void> {
  const { rows } = await client.query<{ name: string }>('SELECT current_user::text AS name');
  if (rows[0]?.name !== OWNER) {
    throw new DatabaseError('QL3_MIGRATION_ROLE', `expected to migrate as ${OWNER}, got ${String(rows[0]?.name)}; connect as ${OWNER}`);
  }
}

async function takeLead(client: DatabaseClient): Promise<void> {
  try {
    await client.query(`SET lock_timeout = ${LEADER_TIMEOUT_MS}`);
    await client.query(`SELECT pg_advisory_lock(${LEADER_LOCK})`);
  } catch (cause) {
    if (sqlState(cause) !== '55P03') throw cause;
    throw new DatabaseError(
      'QL3_MIGRATION_LOCKED',
      `expected to lead the migrations within ${LEADER_TIMEOUT_MS} ms, another process still does; wait for it to end`,
      { cause },
    );
  } finally {
    await client.query('RESET lock_timeout').catch(() => undefined);
  }
}

export function requirePrefix(history: readonly AppliedMigration[], migrations: readonly AppliedMigration[]): void {
  for (const [index, applied] of history.entries()) {
    const expected = migrations[index];
    if (expected === undefined) {
      throw new DatabaseError(
        'QL3_MIGRATION_UNKNOWN',
        `the database has migration ${applied.id}, which this version does not know; use the version that applied it or a later one`,
      );
    }
    if (applied.id !== expected.id) {
      throw new DatabaseError(
        'QL3_MIGRATION_MISSING',
        `expected migration ${expected.id} at place ${index + 1} of the history, got ${applied.id}; neither may be left out`,
      );
    }
    if (applied.checksum !== expected.checksum) {
      throw new DatabaseError(
        'QL3_MIGRATION_CHANGED',
        `expected migration ${applied.id} with checksum ${expected.checksum}, the database applied ${applied.checksum}; an applied migration is never edited, add another`,
      );
    }
  }
}

async function apply(client: DatabaseClient, migration: Migration, version: number, previous: Migration | undefined): Promise<void> {
  try {
    await client.query('BEGIN');
    const before = await transactionId(client);
    await client.query(migration.sql);
    if ((await transactionId(client)) !== before) {
      throw new DatabaseError('QL3_MIGRATION_FAILED', `migration ${migration.id} ends its own transaction; leave that to the migrator`);
    }
    await client.query(
      `INSERT INTO ql3.schema_migrations (migration_id, checksum, applied_at_ms) VALUES ($1, $2, ${DATABASE_NOW_MS})`,
      [migration.id, migration.checksum],
    );
    await advanceCapability(client, migration.id, version, previous?.id);
    await client.query('COMMIT');
  } catch (cause) {
    await client.query('ROLLBACK').catch(() => undefined);
    if (cause instanceof DatabaseError) throw cause;
    throw new DatabaseError('QL3_MIGRATION_FAILED', `migration ${migration.id} failed: ${(cause as Error).message}`, { cause });
  }
}

async function transactionId(client: DatabaseClient): Promise<string | undefined> {
  const { rows } = await client.query<{ id: string }>('SELECT pg_current_xact_id()::text AS id');
  return rows[0]?.id;
}

async function advanceCapability(client: DatabaseClient, id: string, version: number, previousId: string | undefined): Promise<void> {
  const advanced =
    previousId === undefined
      ? await client.query(
          `INSERT INTO ql3.schema_capabilities (capability, contract_version, migration_id, advanced_at_ms)
           VALUES ($1, $2, $3, ${DATABASE_NOW_MS})`,
          [CAPABILITY, version, id],
        )
      : await client.query(
          `UPDATE ql3.schema_capabilities SET contract_version = $2, migration_id = $3, advanced_at_ms = ${DATABASE_NOW_MS}
           WHERE capability = $1 AND contract_version = $2 - 1 AND migration_id = $4`,
          [CAPABILITY, version, id, previousId],
        );
  if (advanced.rowCount !== 1) {
    throw new DatabaseError(
      'QL3_MIGRATION_CAPABILITY',
      `expected the capability ${CAPABILITY} at version ${version - 1} by ${String(previousId)} before ${id}, found another; the history and the capability disagree`,
    );
  }
}
