import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { LocalPostgresError } from './local-server-error.ts';
import type { ServerHome } from './local-server-home.ts';
import { serverEnvironment } from './local-server-process.ts';

export interface ServerTls {
  readonly certPem: string;
  readonly keyPem: string;
}

export const SUPERUSER = 'postgres';

/** Creates the data folder: one superuser with a password, SCRAM for everyone, TCP on the loopback network alone. */
export async function initialiseCluster(home: ServerHome, password: string, tls: ServerTls | undefined, signal?: AbortSignal): Promise<void> {
  const passwordFile = join(home.dataDirectory, '..', `password-${process.pid}`);
  await writeOwned(home, passwordFile, password);
  try {
    await runInitdb(home, passwordFile, signal);
  } finally {
    await rm(passwordFile, { force: true });
  }
  const kind = tls === undefined ? 'host' : 'hostssl';
  await writeOwned(home, join(home.dataDirectory, 'pg_hba.conf'), `${kind} all all 127.0.0.0/8 scram-sha-256\n`);
  if (tls !== undefined) {
    await writeOwned(home, join(home.dataDirectory, 'server.crt'), tls.certPem);
    await writeOwned(home, join(home.dataDirectory, 'server.key'), tls.keyPem);
  }
}

/** For a server that lives minutes: durable against its own crash, not against one of the machine. */
export function serverSettings(port: number, tls: ServerTls | undefined): readonly string[] {
  const settings: Readonly<Record<string, string>> = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    dynamic_shared_memory_type: 'mmap',
    shared_buffers: '32MB',
    max_connections: '100',
    fsync: 'off',
    full_page_writes: 'off',
    jit: 'off',
    password_encryption: 'scram-sha-256',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // Whom PostgreSQL refuses something is then its own word.
    log_line_prefix: '%m [%p] %u ',
    // Statements and parameters may hold digests and names that belong to the database alone.
    log_min_error_statement: 'panic',
    log_parameter_max_length_on_error: '0',
    ssl: tls === undefined ? 'off' : 'on',
    ...(tls === undefined ? {} : { ssl_min_protocol_version: 'TLSv1.3' }),
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

async function runInitdb(home: ServerHome, passwordFile: string, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  const options = [
    '-D', home.dataDirectory, '-U', SUPERUSER, '--auth=scram-sha-256', `--pwfile=${passwordFile}`, '--encoding=UTF8',
    '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C', '--no-sync', '--no-instructions',
  ]; // prettier-ignore
  const child = spawn(join(home.nativeDirectory, 'bin', 'initdb'), options, {
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: '/',
    env: serverEnvironment(),
    ...home.account,
    ...(signal === undefined ? {} : { signal, killSignal: 'SIGKILL' as const }),
  });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const [[code], output, errors] = await Promise.all([exited, text(child.stdout), text(child.stderr)]);
  if (code !== 0) {
    throw new LocalPostgresError(
      'QL3_LOCAL_POSTGRES_INITDB_FAILED',
      `initdb ended with code ${String(code)}:\n${errors.trim() || output.trim()}`,
    );
  }
}

async function writeOwned(home: ServerHome, path: string, content: string): Promise<void> {
  await writeFile(path, content, { mode: 0o600 });
  if (home.account !== null) await chown(path, home.account.uid, home.account.gid);
}
