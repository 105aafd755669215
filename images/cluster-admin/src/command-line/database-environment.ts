import type { DatabaseConfig, DatabaseTls } from '../../../postgres/connection.ts';
import type { EnvironmentReader } from './environment.ts';
import { PUBLIC_FILE, readGuardedFile } from './guarded-file.ts';

const MAX_CA_BYTES = 1024 * 1024;

interface Endpoint {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string;
}

/** URL or URL_FILE, or HOST, PORT, DATABASE, USER and PASSWORD or PASSWORD_FILE; TLS is verify-full unless insecurity is asked for twice. */
export function readDatabaseEnvironment(environment: EnvironmentReader): DatabaseConfig {
  const url = environment.secret('URL');
  const endpoint = url === null ? readParts(environment) : parseUrl(environment, url);
  return {
    ...endpoint,
    tls: readTls(environment),
    applicationName: environment.optional('APPLICATION_NAME') ?? 'qinglong3-cluster-admin',
    maxConnections: environment.integer('MAX_CONNECTIONS', 2, 1, 16),
    connectionTimeoutMs: environment.integer('CONNECTION_TIMEOUT_MS', 5_000, 100, 60_000),
  };
}

function readParts(environment: EnvironmentReader): Endpoint {
  return {
    host: environment.required('HOST'),
    port: environment.integer('PORT', 5432, 1, 65_535),
    database: environment.required('DATABASE'),
    user: environment.required('USER'),
    password: environment.secret('PASSWORD') ?? environment.reject('PASSWORD', 'expected it, PASSWORD_FILE, URL or URL_FILE'),
  };
}

function parseUrl(environment: EnvironmentReader, text: string): Endpoint {
  const nowhere: Endpoint = { host: '', port: 0, database: '', user: '', password: '' };
  let url: URL;
  let decoded: readonly string[];
  try {
    url = new URL(text);
    decoded = [url.username, url.password, url.pathname.slice(1)].map((part) => decodeURIComponent(part));
  } catch {
    environment.reject('URL', 'expected postgres://USER:PASSWORD@HOST[:PORT]/DATABASE');
    return nowhere;
  }
  const [user = '', password = '', database = ''] = decoded;
  const acceptable =
    /^postgres(ql)?:$/.test(url.protocol) && url.hostname !== '' && user !== '' && password !== '' && database !== '' && !database.includes('/');
  if (!acceptable || url.search !== '' || url.hash !== '') {
    environment.reject('URL', 'expected postgres://USER:PASSWORD@HOST[:PORT]/DATABASE without parameters');
    return nowhere;
  }
  return { host: url.hostname.replace(/^\[(.*)\]$/, '$1'), port: url.port === '' ? 5432 : Number(url.port), database, user, password };
}

function readTls(environment: EnvironmentReader): DatabaseTls {
  const mode = environment.optional('TLS_MODE') ?? 'verify-full';
  if (mode === 'disable') {
    if (environment.optional('ALLOW_INSECURE') !== 'true') environment.reject('TLS_MODE', 'disable is only permitted together with ALLOW_INSECURE=true');
    return { mode: 'disable' };
  }
  if (mode !== 'verify-full') environment.reject('TLS_MODE', 'expected verify-full or disable');
  const path = environment.path('TLS_CA_FILE');
  const serverName = environment.optional('TLS_SERVER_NAME');
  return { mode: 'verify-full', caPem: readCa(environment, path), ...(serverName === null ? {} : { serverName }) };
}

function readCa(environment: EnvironmentReader, path: string): string {
  if (path === '') return '';
  try {
    const pem = readGuardedFile(path, { maxBytes: MAX_CA_BYTES, forbiddenMode: PUBLIC_FILE }).toString('utf8');
    return pem.includes('-----BEGIN CERTIFICATE-----') ? pem : environment.reject('TLS_CA_FILE', 'expected PEM certificates');
  } catch (error) {
    return environment.reject('TLS_CA_FILE', (error as Error).message);
  }
}
