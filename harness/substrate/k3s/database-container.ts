import type Docker from 'dockerode';
import { randomBytes } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import { Client } from 'pg';
import type { Authority } from '../../pki/authority.ts';
import type { ResolvedImage } from '../../images/resolve-image.ts';
import type { DatabaseAccess } from '../substrate.ts';
import type { DatabaseSighting } from './database-reach.ts';
import { addressIn, publishedPort } from './cluster-container.ts';
import { putFiles } from './container-files.ts';
import { createContainer, type Creation } from './create-container.ts';
import { pollUntil } from './poll-until.ts';
import type { Labels } from './run-labels.ts';
import { startContainer } from './start-container.ts';
import { SubstrateError } from './substrate-error.ts';

export const DATABASE_PORT = 5432;
const USER = 'postgres';
const DATABASE = 'qinglong3';
/** Of the user `postgres` in the official image. */
const POSTGRES_UID = 999;
const FOLDER = '/etc/ql3';
const READY_WITHIN_MS = 60_000;

/** Over the network with TLS and a password only. */
const ACCESS_RULES = 'local all all scram-sha-256\nhostssl all all all scram-sha-256\n';
const SERVER = [
  'postgres',
  '-c', 'ssl=on',
  '-c', `ssl_cert_file=${FOLDER}/server.crt`,
  '-c', `ssl_key_file=${FOLDER}/server.key`,
  '-c', 'ssl_min_protocol_version=TLSv1.3',
  '-c', `hba_file=${FOLDER}/pg_hba.conf`,
  '-c', 'password_encryption=scram-sha-256',
  // Whom PostgreSQL refuses something is then its own word.
  '-c', 'log_line_prefix=%m [%p] %u ',
  '-c', 'log_timezone=UTC',
];

/** Its refusals are read at the end, whatever the Engine does with other containers' output. */
const READABLE_LOG = { Type: 'json-file', Config: {} };

export interface DatabaseContainerOptions {
  readonly name: string;
  readonly image: ResolvedImage;
  readonly network: string;
  readonly labels: Labels;
  readonly authority: Authority;
}

export interface DatabaseContainer {
  readonly container: Docker.Container;
  readonly password: string;
}

export interface OpenDatabase {
  readonly access: DatabaseAccess;
  /** By this machine. */
  readonly seen: DatabaseSighting;
}

/** Starts PostgreSQL with a password made for the run. Neither that nor the key is in its environment, its arguments or its labels. */
export async function startDatabaseContainer(docker: Docker, options: DatabaseContainerOptions, creation: Creation): Promise<DatabaseContainer> {
  const password = randomBytes(24).toString('base64url');
  const container = await createContainer(docker, {
    name: options.name,
    Image: options.image.id,
    Cmd: SERVER,
    Env: [`POSTGRES_USER=${USER}`, `POSTGRES_DB=${DATABASE}`, `POSTGRES_PASSWORD_FILE=${FOLDER}/password`],
    Labels: { ...options.labels },
    ExposedPorts: { [`${DATABASE_PORT}/tcp`]: {} },
    HostConfig: { NetworkMode: options.network, PortBindings: { [`${DATABASE_PORT}/tcp`]: [{ HostIp: '127.0.0.1', HostPort: '0' }] }, SecurityOpt: ['no-new-privileges'], LogConfig: READABLE_LOG },
  }, creation);
  await putFiles(container, [
    { path: `${FOLDER}/password`, content: password, mode: 0o400, uid: POSTGRES_UID },
    { path: `${FOLDER}/pg_hba.conf`, content: ACCESS_RULES, mode: 0o400, uid: POSTGRES_UID },
  ]);
  await putIdentity(container, options.authority, []);
  await startContainer(container, 'PostgreSQL', creation.signal);
  return { container, password };
}

/** Gives the server a certificate for the address that it turned out to have, and sees that it is served and that a login over TLS works. */
export async function openDatabase({ container, password }: DatabaseContainer, { network, authority }: DatabaseContainerOptions, signal: AbortSignal): Promise<OpenDatabase> {
  const [port, address] = await Promise.all([publishedPort(container, `${DATABASE_PORT}/tcp`), addressIn(container, network)]);
  const access: DatabaseAccess = {
    host: '127.0.0.1',
    port,
    database: DATABASE,
    superuser: { user: USER, password },
    caPem: authority.certificatePem,
    fromPods: { host: address, port: DATABASE_PORT, cidr: `${address}/32` },
  };
  const ready = { fault: 'DATABASE_NOT_READY', everyMs: 100, deadlineMs: READY_WITHIN_MS, signal } as const;
  await pollUntil(() => withLogin(access, async () => true), { ...ready, expectation: 'PostgreSQL to accept a login over TLS' });
  await putIdentity(container, authority, [address]);
  const seen = await pollUntil(() => withLogin(access, (client) => reloadedFor(client, address)), { ...ready, expectation: `PostgreSQL to present a certificate for ${address}` });
  return { access, seen };
}

async function putIdentity(container: Docker.Container, authority: Authority, addresses: readonly string[]): Promise<void> {
  const { certificatePem, privateKeyPem } = await authority.issueServer('ql3-postgres', { dns: ['localhost'], ip: ['127.0.0.1', ...addresses] });
  await putFiles(container, [
    { path: `${FOLDER}/server.crt`, content: certificatePem, mode: 0o400, uid: POSTGRES_UID },
    { path: `${FOLDER}/server.key`, content: privateKeyPem, mode: 0o400, uid: POSTGRES_UID },
  ]);
}

async function withLogin<T>({ host, port, database, superuser, caPem }: DatabaseAccess, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ host, port, database, ...superuser, ssl: { ca: caPem, rejectUnauthorized: true }, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** What this connection shows when its certificate names the address; otherwise asks the server to read its files again. */
async function reloadedFor(client: Client, address: string): Promise<DatabaseSighting> {
  const { stream } = (client as unknown as { connection: { stream: TLSSocket } }).connection;
  const { subjectaltname: names = '', fingerprint256 } = stream.getPeerCertificate();
  if (names.split(', ').includes(`IP Address:${address}`)) return { protocol: stream.getProtocol() ?? 'unknown', fingerprint: fingerprint256.replaceAll(':', '').toLowerCase() };
  const { rows } = await client.query<{ ssl: boolean }>('SELECT pg_reload_conf() AS reloaded, ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
  if (rows[0]?.ssl !== true) throw new SubstrateError('DATABASE_NOT_READY', 'expected the connection to PostgreSQL to use TLS');
  throw new Error(`its certificate names ${names}`);
}
