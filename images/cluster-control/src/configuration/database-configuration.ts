import path from 'node:path';
import type { DatabaseConfig, DatabaseTls } from '../../../postgres/connection.ts';
import { DATABASE_VARIABLES } from '../../../postgres/connection-variables.ts';
import type { Problem } from '../control-error.ts';
import { parseCertificates } from '../trust/certificate-bundle.ts';
import { readProtectedFile } from '../trust/protected-file.ts';
import { type DatabaseAddress, parseDatabaseUrl } from './database-url.ts';
import { type Environment, EnvironmentReader } from './environment-reader.ts';

export const DATABASE_PREFIX = 'QL3_POSTGRES_WORKER_INGRESS_';

export type DatabaseConfiguration = Required<DatabaseConfig>;

/** A little more than the server's own limit on a statement, so that its answer comes first where there is one. */
const QUERY_TIMEOUT_MS = 6_000;

/**
 * How to reach PostgreSQL: by `URL_FILE`, by `URL`, or by `HOST` with its companions, and by one of them alone. The
 * password is never part of a message.
 */
export async function readDatabaseConfiguration(environment: Environment): Promise<{ database: DatabaseConfiguration; problems: readonly Problem[] }> {
  const reader = new EnvironmentReader(environment, DATABASE_PREFIX, DATABASE_VARIABLES);
  const address = await readAddress(reader);
  const database = {
    ...address,
    tls: await readTls(reader),
    applicationName: readApplicationName(reader),
    maxConnections: reader.integer('MAX_CONNECTIONS', 8, 2, 64),
    queryTimeoutMs: QUERY_TIMEOUT_MS,
    connectionTimeoutMs: reader.integer('CONNECTION_TIMEOUT_MS', 3_000, 100, 60_000),
  };
  reader.refuseUnknown();
  return { database, problems: reader.problems };
}

const NO_ADDRESS: DatabaseAddress = { host: '', port: 5432, database: '', user: '', password: '' };

async function readAddress(reader: EnvironmentReader): Promise<DatabaseAddress> {
  const parts = readAddressParts(reader);
  const password = await readSecret(reader, 'PASSWORD');
  const url = await readSecret(reader, 'URL');
  const asParts = reader.optional('HOST') !== null;
  if ((url !== null) === asParts) {
    reader.refuse('URL_FILE', asParts ? 'and HOST are both given; use one of them' : 'is missing; give it, or URL, or HOST, DATABASE, USER and PASSWORD');
    return NO_ADDRESS;
  }
  if (url === null) return requireParts(reader, parts, password);
  for (const name of ['PORT', 'DATABASE', 'USER', 'PASSWORD', 'PASSWORD_FILE']) {
    if (reader.optional(name) !== null) reader.refuse(name, 'belongs to HOST and cannot be given beside a URL');
  }
  const parsed = parseDatabaseUrl(url);
  if (parsed === null) reader.refuse('URL_FILE', 'expected postgresql://USER:PASSWORD@HOST[:PORT]/DATABASE without further parameters');
  return parsed ?? NO_ADDRESS;
}

function readAddressParts(reader: EnvironmentReader): Omit<DatabaseAddress, 'password'> {
  return {
    host: reader.optional('HOST') ?? '',
    port: reader.integer('PORT', 5432, 1, 65_535),
    database: reader.optional('DATABASE') ?? '',
    user: reader.optional('USER') ?? '',
  };
}

function requireParts(reader: EnvironmentReader, parts: Omit<DatabaseAddress, 'password'>, password: string | null): DatabaseAddress {
  if (parts.database === '') reader.refuse('DATABASE', 'is missing; HOST needs it');
  if (parts.user === '') reader.refuse('USER', 'is missing; HOST needs it');
  if (password === null) reader.refuse('PASSWORD_FILE', 'is missing; HOST needs it, or PASSWORD');
  return { ...parts, password: password ?? '' };
}

/** `NAME` itself, or the contents of the file that `NAME_FILE` names, without the newline at its end. */
async function readSecret(reader: EnvironmentReader, name: string): Promise<string | null> {
  const value = reader.optional(name);
  const file = reader.optional(`${name}_FILE`);
  if (file === null) return value;
  if (value !== null) reader.refuse(name, `and ${name}_FILE are both given; use one of them`);
  const reading = await readProtectedFile(`${DATABASE_PREFIX}${name}_FILE`, file, 'secret');
  if (reading.problem !== undefined) {
    reader.problems.push(reading.problem);
    return '';
  }
  return reading.bytes.toString('utf8').replace(/\r?\n$/u, '');
}

async function readTls(reader: EnvironmentReader): Promise<DatabaseTls> {
  const mode = reader.oneOf('TLS_MODE', ['verify-full', 'disable'], 'verify-full');
  const insecure = reader.oneOf('ALLOW_INSECURE', ['true', 'false'], 'false') === 'true';
  const caFile = reader.optional('TLS_CA_FILE');
  if (mode === 'disable' && !insecure) reader.refuse('TLS_MODE', 'disable needs ALLOW_INSECURE=true: the password would travel in the clear');
  if (mode === 'disable' && caFile !== null) reader.refuse('TLS_CA_FILE', 'has no meaning when TLS_MODE is disable');
  if (mode === 'disable') return { mode };
  if (caFile === null) reader.refuse('TLS_CA_FILE', 'is missing; verify-full needs the authority of the server certificate');
  return { mode, caPem: caFile === null ? '' : await readAuthorities(reader, caFile) };
}

async function readAuthorities(reader: EnvironmentReader, file: string): Promise<string> {
  const subject = `${DATABASE_PREFIX}TLS_CA_FILE`;
  const reading = path.isAbsolute(file) ? await readProtectedFile(subject, file, 'public') : { problem: { subject, problem: 'expected an absolute path' } };
  if (reading.problem !== undefined) {
    reader.problems.push(reading.problem);
    return '';
  }
  try {
    if (parseCertificates(reading.bytes).length > 0) return reading.bytes.toString('latin1');
  } catch {
    // Reported below, together with a file that holds no certificate at all.
  }
  reader.refuse('TLS_CA_FILE', 'expected at least one PEM certificate');
  return '';
}

function readApplicationName(reader: EnvironmentReader): string {
  const name = reader.optional('APPLICATION_NAME') ?? 'qinglong3-cluster-control';
  if (!/^[A-Za-z0-9._-]{1,63}$/u.test(name)) reader.refuse('APPLICATION_NAME', 'expected 1 to 63 letters, digits, dots, underscores and dashes');
  return name;
}
