import { isIP } from 'node:net';
import { checkServerIdentity } from 'node:tls';
import pg from 'pg';
import { DatabaseError } from './database-error.ts';

export type DatabaseTls =
  /** The server's certificate is verified against this CA, and its name against `serverName` or the host. */
  | { readonly mode: 'verify-full'; readonly caPem: string; readonly serverName?: string }
  | { readonly mode: 'disable' };

export interface DatabaseConfig {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string;
  readonly tls: DatabaseTls;
  readonly applicationName?: string;
  /** 4 unless said otherwise. */
  readonly maxConnections?: number;
  /** 5000 unless said otherwise. */
  readonly connectionTimeoutMs?: number;
  /** How long to wait for the answer to one statement, on the client's side too: a server that has stopped answers nothing. None unless said. */
  readonly queryTimeoutMs?: number;
}

export type Database = pg.Pool;
export type DatabaseClient = pg.ClientBase;

/** Opens a pool. No connection is made before the first query; `end()` closes it. */
export function openDatabase(config: DatabaseConfig, onIdleError: (error: Error) => void = () => undefined): Database {
  const pool = new pg.Pool({
    ...toClientConfig(config),
    max: config.maxConnections ?? 4,
    idleTimeoutMillis: 30_000,
    allowExitOnIdle: false,
  });
  // An idle connection that dies is replaced at the next use; without a listener it would end the process.
  pool.on('error', onIdleError);
  // One that dies while it is lent says so to whoever uses it; the event alone must not end the process either.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** A single connection, for work that depends on its session: migrations, roles. */
export async function connectDatabase(config: DatabaseConfig): Promise<pg.Client> {
  const client = new pg.Client(toClientConfig(config));
  client.on('error', () => undefined);
  try {
    await client.connect();
    return client;
  } catch (cause) {
    await client.end().catch(() => undefined);
    throw new DatabaseError(
      'QL3_DATABASE_UNAVAILABLE',
      `expected PostgreSQL at ${config.host}:${config.port} to accept user ${config.user} on database ${config.database}, got: ${(cause as Error).message}`,
      { cause },
    );
  }
}

export function toClientConfig(config: DatabaseConfig): pg.ClientConfig {
  return {
    host: config.host,
    port: config.port,
    database: config.database,
    user: config.user,
    password: config.password,
    application_name: config.applicationName ?? 'qinglong3',
    connectionTimeoutMillis: config.connectionTimeoutMs ?? 5_000,
    keepAlive: true,
    ...(config.queryTimeoutMs === undefined ? {} : { query_timeout: config.queryTimeoutMs }),
    // Names are always qualified; nothing is ever found by accident in another schema.
    options: '-c search_path=pg_catalog -c TimeZone=UTC',
    types: parsers,
    ssl: toTlsOptions(config),
  };
}

function toTlsOptions({ tls, host }: DatabaseConfig): pg.ClientConfig['ssl'] {
  if (tls.mode === 'disable') return false;
  const name = tls.serverName ?? host;
  return {
    ca: tls.caPem,
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
    // An address is no server name (RFC 6066), but it is verified all the same.
    ...(isIP(name) === 0 ? { servername: name } : {}),
    checkServerIdentity: (_, certificate) => checkServerIdentity(name, certificate),
  };
}

const parsers = new pg.TypeOverrides();
parsers.setTypeParser(pg.types.builtins.INT8, toSafeInteger);

function toSafeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) {
    throw new DatabaseError('QL3_DATABASE_VALUE_UNREPRESENTABLE', `expected a bigint within ±(2^53 - 1), got ${text}`);
  }
  return value;
}
