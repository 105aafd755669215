import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { CONTRACT_NAMES, PROBE_NAMES } from '../../evidence/contract-names.ts';
import { DATABASE_ROLES } from '../../evidence/identities.ts';
import { connectDatabase, grantPrivileges, migrate, openDatabase, prepareRoles, ROLES, type Database, type DatabaseConfig, type RoleName, type RolePasswords } from '../../images/cluster-admin/src/index.ts';
import type { Recorder } from '../observation/recorder.ts';
import type { DatabaseAccess, Releasers } from '../substrate/substrate.ts';

/** A server that has stopped answers nothing; no query of the run takes a fraction of this. */
/** A server that stands still for a moment is waited for; who cannot be reached at all ends the run. */
const CONNECTION_TIMEOUT_MS = 30_000;
const QUERY_TIMEOUT_MS = 30_000;

/** Who has a role in a project, for the contract and for its probes. The administrators are the fixed local principals of evidence.md. */
const PROJECTS = [
  { projectId: CONTRACT_NAMES.projectId, users: [CONTRACT_NAMES.requester, CONTRACT_NAMES.decider] },
  { projectId: PROBE_NAMES.projectId, users: [CONTRACT_NAMES.requester, CONTRACT_NAMES.decider, PROBE_NAMES.revokedUser] },
] as const;

/** The run's database: migrated, with passwords made for this run, reached over TLS by everybody. */
export class RunDatabase {
  readonly access: DatabaseAccess;
  /** The harness's own connections: they read rows and never write any. */
  readonly witness: pg.Pool;
  readonly #passwords: RolePasswords;
  readonly #pools = new Map<RoleName, Database>();

  constructor(access: DatabaseAccess, witness: pg.Pool, passwords: RolePasswords) {
    this.access = access;
    this.witness = witness;
    this.#passwords = passwords;
  }

  configOf(role: RoleName): DatabaseConfig {
    return { ...endpointOf(this.access), user: role, password: this.#passwords[role], applicationName: `ql3-rollout-evidence ${role}` };
  }

  /** Lends the role's own connections, opened at the first use and kept for the run. */
  async use<T>(role: RoleName, work: (database: Database) => Promise<T>): Promise<T> {
    const pool = this.#pools.get(role) ?? openDatabase(this.configOf(role));
    this.#pools.set(role, pool);
    return await work(pool);
  }

  /** An administrator takes a user's role away (append-only: the latest version of a binding counts). */
  async revokeBinding(projectId: string, userId: string): Promise<void> {
    await withClient(this.configOf('ql3_migration'), (owner) =>
      owner.query(
        `INSERT INTO ql3.project_role_bindings (project_id, subject_type, subject_id, version, role, state, bound_at_ms)
         SELECT project_id, subject_type, subject_id, version + 1, role, 'revoked', greatest(bound_at_ms, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
         FROM ql3.project_role_bindings WHERE project_id = $1 AND subject_type = 'user' AND subject_id = $2 ORDER BY version DESC LIMIT 1`,
        [projectId, userId],
      ),
    );
  }

  async close(): Promise<void> {
    await Promise.all([this.witness, ...this.#pools.values()].map((pool) => pool.end()));
  }

  /** A connection of the role's own; whoever asked for it ends it. */
  async connect(role: RoleName): Promise<pg.Client> {
    return await connectDatabase(this.configOf(role));
  }

  /** For a Secret that a Pod projects; holds the password. */
  urlForPods(role: RoleName): string {
    const { host, port } = this.access.fromPods;
    return `postgresql://${role}:${encodeURIComponent(this.#passwords[role])}@${host}:${port}/${this.access.database}`;
  }
}

export async function prepareDatabase(access: DatabaseAccess, releasers: Releasers): Promise<RunDatabase> {
  const passwords = Object.fromEntries(ROLES.map((role) => [role, randomBytes(24).toString('base64url')])) as RolePasswords;
  const superuserConfig: DatabaseConfig = { ...endpointOf(access), user: access.superuser.user, password: access.superuser.password, applicationName: 'ql3-rollout-evidence' };
  await withClient(superuserConfig, (client) => prepareRoles(client, passwords));
  const witness = openDatabase(superuserConfig);
  const database = new RunDatabase(access, witness, passwords);
  releasers.add('database connections', () => database.close());
  await withClient(database.configOf('ql3_migration'), async (owner) => {
    await migrate(owner);
    await grantPrivileges(owner);
    await createProjects(owner);
  });
  return database;
}

/** What the server says of itself, and who each of the run's connections turns out to be. */
export async function recordDatabase(database: RunDatabase, recorder: Recorder): Promise<void> {
  const { rows } = await database.witness.query<{ version: string; number: number; tls: boolean; contract: number; migrations: string[] }>(`
    SELECT current_setting('server_version') AS version,
           current_setting('server_version_num')::int AS number,
           (SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()) AS tls,
           (SELECT contract_version::int FROM ql3.schema_capabilities WHERE capability = 'ql3') AS contract,
           (SELECT array_agg(migration_id ORDER BY migration_id) FROM ql3.schema_migrations) AS migrations`);
  const [server] = rows;
  if (server === undefined) throw new TypeError('expected one row about the server');
  recorder.record('platform.database', 'postgresql', {
    serverVersion: server.version,
    serverVersionNum: server.number,
    tls: server.tls,
    contractVersion: server.contract,
    migrationIds: server.migrations,
  });
  for (const [connection, role] of Object.entries(DATABASE_ROLES) as [keyof typeof DATABASE_ROLES, RoleName][]) {
    const users = await withClient(database.configOf(role), (client) => client.query<{ current: string; session: string }>('SELECT current_user::text AS current, session_user::text AS session'));
    const [user] = users.rows;
    recorder.record('database.current-user', role, { connection, currentUser: user?.current ?? '', sessionUser: user?.session ?? '' });
  }
}

async function createProjects(owner: pg.ClientBase): Promise<void> {
  for (const { projectId, users } of PROJECTS) {
    await owner.query(`INSERT INTO ql3.projects (project_id, version, state, created_at_ms, updated_at_ms) SELECT $1, 1, 'active', now_ms, now_ms FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now_ms) clock`, [projectId]);
    for (const user of users) {
      await owner.query(
        `INSERT INTO ql3.project_role_bindings (project_id, subject_type, subject_id, version, role, state, bound_at_ms) VALUES ($1, 'user', $2, 1, 'owner', 'active', (extract(epoch FROM clock_timestamp()) * 1000)::bigint)`,
        [projectId, user],
      );
    }
  }
}

function endpointOf({ host, port, database, caPem }: DatabaseAccess): Pick<DatabaseConfig, 'host' | 'port' | 'database' | 'tls' | 'queryTimeoutMs' | 'connectionTimeoutMs'> {
  return { host, port, database, tls: { mode: 'verify-full', caPem }, queryTimeoutMs: QUERY_TIMEOUT_MS, connectionTimeoutMs: CONNECTION_TIMEOUT_MS };
}

async function withClient<T>(config: DatabaseConfig, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await connectDatabase(config);
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
