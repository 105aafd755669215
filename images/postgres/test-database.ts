import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startLocalPostgres, type LocalPostgres, type ServerTls } from '../../harness/database/local-server.ts';
import { connectDatabase, openDatabase, type Database, type DatabaseConfig } from './connection.ts';
import { migrate } from './migrate.ts';
import { ROLES, grantPrivileges, openDatabaseToRoles, prepareRoles, type RoleName, type RolePasswords } from './roles.ts';

/** For tests alone: a database of its own on a real server, with the schema, the roles and their grants. */
export interface TestDatabase {
  readonly name: string;
  readonly server: LocalPostgres;
  readonly superuser: DatabaseConfig;
  config(role: RoleName): DatabaseConfig;
  /** A pool as this role; ended when the database is closed. */
  open(role: RoleName | 'superuser'): Database;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

interface TestServer {
  readonly postgres: LocalPostgres;
  readonly directory: string;
  readonly passwords: RolePasswords;
  users: number;
}

const TEMPLATE = 'ql3_template';
let shared: Promise<TestServer> | null = null;

/**
 * The server is shared by the test process: it starts with the first database and ends with the last. An `empty` database
 * has the roles and nothing else, for tests of the migrations.
 */
export async function createTestDatabase(options: { readonly empty?: boolean } = {}): Promise<TestDatabase> {
  shared ??= startServer();
  const server = await shared;
  server.users += 1;
  const name = `test_${randomBytes(6).toString('hex')}`;
  try {
    await as(superuserConfig(server, 'postgres'), async (root) => {
      await root.query(`CREATE DATABASE ${name} TEMPLATE ${options.empty === true ? 'template0' : TEMPLATE}`);
    });
    await as(superuserConfig(server, name), openDatabaseToRoles);
    return toTestDatabase(server, name);
  } catch (error) {
    await leave(server);
    throw error;
  }
}

/** A server of its own, empty: for tests of migrations, roles and TLS. */
export async function startEmptyServer(
  tls?: ServerTls,
): Promise<{ postgres: LocalPostgres; superuser: DatabaseConfig; passwords: RolePasswords; stop: () => Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), 'ql3-test-postgres-'));
  try {
    const postgres = await startLocalPostgres({ directory, ...(tls === undefined ? {} : { tls }) });
    const server = { postgres, directory, passwords: createPasswords(), users: 0 };
    return {
      postgres,
      superuser: superuserConfig(server, 'postgres'),
      passwords: server.passwords,
      stop: () => stopServer(server),
    };
  } catch (error) {
    await rm(directory, { recursive: true, force: true });
    throw error;
  }
}

async function startServer(): Promise<TestServer> {
  const { postgres, passwords, superuser, stop } = await startEmptyServer();
  try {
    await as(superuser, async (root) => {
      await root.query(`CREATE DATABASE ${TEMPLATE}`);
    });
    await as({ ...superuser, database: TEMPLATE }, (root) => prepareRoles(root, passwords));
    await as({ ...superuser, database: TEMPLATE, user: 'ql3_migration', password: passwords.ql3_migration }, async (owner) => {
      await migrate(owner);
      await grantPrivileges(owner);
    });
    return { postgres, directory: join(postgres.logFile, '..'), passwords, users: 0 };
  } catch (error) {
    await stop();
    throw error;
  }
}

function toTestDatabase(server: TestServer, name: string): TestDatabase {
  const pools: Database[] = [];
  const superuser = superuserConfig(server, name);
  const config = (role: RoleName): DatabaseConfig => ({ ...superuser, user: role, password: server.passwords[role] });
  let closing: Promise<void> | null = null;
  const close = async (): Promise<void> => {
    await Promise.all(pools.map((pool) => pool.end()));
    await leave(server);
  };
  return {
    name,
    server: server.postgres,
    superuser,
    config,
    open(role) {
      const pool = openDatabase(role === 'superuser' ? superuser : config(role));
      pools.push(pool);
      return pool;
    },
    close: () => (closing ??= close()),
    [Symbol.asyncDispose]: () => (closing ??= close()),
  };
}

function superuserConfig(server: TestServer, database: string): DatabaseConfig {
  const { host, port, superuser } = server.postgres;
  // a busy machine takes its time to fork a server process
  return { host, port, database, ...superuser, tls: { mode: 'disable' }, connectionTimeoutMs: 60_000 };
}

function createPasswords(): RolePasswords {
  return Object.fromEntries(ROLES.map((role) => [role, randomBytes(18).toString('base64url')])) as RolePasswords;
}

async function as(
  config: DatabaseConfig,
  work: (client: Awaited<ReturnType<typeof connectDatabase>>) => Promise<void>,
): Promise<void> {
  const client = await connectDatabase(config);
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

async function leave(server: TestServer): Promise<void> {
  server.users -= 1;
  if (server.users > 0) return;
  shared = null;
  await stopServer(server);
}

async function stopServer(server: TestServer): Promise<void> {
  await server.postgres.stop();
  await rm(server.directory, { recursive: true, force: true });
}
