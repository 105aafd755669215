import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test, type TestContext } from 'node:test';
import { webcrypto } from 'node:crypto';
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import pg from 'pg';
import { connectDatabase, openDatabase, type DatabaseConfig } from '../../images/postgres/connection.ts';
import { DatabaseError } from '../../images/postgres/database-error.ts';
import { LocalPostgresError, startLocalPostgres, type LocalPostgres } from './local-server.ts';

async function folder(t: TestContext, mode: number): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'ql3-local-server-'));
  await chmod(path, mode);
  t.after(() => rm(path, { recursive: true, force: true }));
  return path;
}

const configOf = (postgres: LocalPostgres, tls: DatabaseConfig['tls'] = { mode: 'disable' }): DatabaseConfig => ({
  host: postgres.host,
  port: postgres.port,
  database: 'postgres',
  ...postgres.superuser,
  tls,
});

test('a real PostgreSQL 18.4 that listens on the loopback address alone, and leaves nothing behind', async (t) => {
  for (const mode of [0o755, 0o700]) {
    const directory = await folder(t, mode);
    const postgres = await startLocalPostgres({ directory });
    const client = await connectDatabase(configOf(postgres));
    const { rows } = await client.query<{ version: string; listen: string; sockets: string; data: string }>(
      `SELECT current_setting('server_version') AS version, current_setting('listen_addresses') AS listen,
        current_setting('unix_socket_directories') AS sockets, current_setting('data_directory') AS data`,
    );
    await client.end();
    const { version, listen, sockets, data } = rows[0]!;
    assert.deepEqual([version, listen, sockets], ['18.4', '127.0.0.1', '']);
    assert.equal((await stat(data)).mode & 0o077, 0);
    await postgres.stop();
    await postgres.stop();
    assert.equal(await accepts(postgres.port), false);
    await assert.rejects(stat(data), { code: 'ENOENT' });
    assert.deepEqual(await readdir(directory), ['postgres.log']);
  }
});

test('a wrong password is refused', async (t) => {
  await using postgres = await startLocalPostgres({ directory: await folder(t, 0o700) });
  await assert.rejects(
    connectDatabase({ ...configOf(postgres), password: 'guess' }),
    (error) => error instanceof DatabaseError && error.code === 'QL3_DATABASE_UNAVAILABLE' && !error.message.includes('guess'),
  );
});

test('two servers at the same time do not meet', async (t) => {
  const directories = await Promise.all([folder(t, 0o700), folder(t, 0o700)]);
  const servers = await Promise.all(directories.map((directory) => startLocalPostgres({ directory })));
  assert.notEqual(servers[0]!.port, servers[1]!.port);
  await Promise.all(servers.map((server) => server.stop()));
});

test('a crashed server comes back with what was committed, on the same port', async (t) => {
  await using postgres = await startLocalPostgres({ directory: await folder(t, 0o700) });
  const pool = openDatabase(configOf(postgres));
  await pool.query('CREATE TABLE public.kept AS SELECT 1 AS one');
  await postgres.interrupt('crash');
  await assert.rejects(pool.query('SELECT 1'));
  await postgres.resume();
  assert.deepEqual((await pool.query('SELECT one FROM public.kept')).rows, [{ one: 1 }]);
  await assert.rejects(postgres.resume(), (error) => error instanceof LocalPostgresError && error.code === 'QL3_LOCAL_POSTGRES_STATE');
  await pool.end();
});

test('with a certificate only verified TLS 1.3 gets in', async (t) => {
  const { caPem, certPem, keyPem } = await certificate('127.0.0.1');
  const stranger = await certificate('127.0.0.1');
  await using postgres = await startLocalPostgres({ directory: await folder(t, 0o700), tls: { certPem, keyPem } });
  assert.equal(postgres.tls, true);
  const client = await connectDatabase(configOf(postgres, { mode: 'verify-full', caPem }));
  const { rows } = await client.query<{ version: string }>('SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
  assert.equal(rows[0]?.version, 'TLSv1.3');
  await client.end();
  const refused: readonly DatabaseConfig['tls'][] = [
    { mode: 'disable' },
    { mode: 'verify-full', caPem: stranger.caPem },
    { mode: 'verify-full', caPem, serverName: 'another.example' },
  ];
  for (const tls of refused) await assert.rejects(connectDatabase(configOf(postgres, tls)), DatabaseError);
});

test('a certificate that the server cannot use is reported with its words, and nothing stays', async (t) => {
  const directory = await folder(t, 0o700);
  await assert.rejects(
    startLocalPostgres({ directory, tls: { certPem: 'no certificate', keyPem: 'no key' } }),
    (error) => error instanceof LocalPostgresError && error.code === 'QL3_LOCAL_POSTGRES_START_FAILED' && error.message.includes('certificate'),
  );
  assert.deepEqual(await readdir(directory), ['postgres.log']);
});

test('the server and its data end with their owner, even by kill -9', async (t) => {
  const directory = await folder(t, 0o700);
  const program = `
    const { startLocalPostgres } = await import(${JSON.stringify(new URL('./local-server.ts', import.meta.url).href)});
    const { port, superuser } = await startLocalPostgres({ directory: process.argv[1] });
    console.log(JSON.stringify({ port, superuser }));
    setInterval(() => undefined, 60_000);`;
  const owner = spawn(process.execPath, ['--input-type=module', '-e', program, directory], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface(owner.stdout), 'line')) as [string];
  const { port, superuser } = JSON.parse(line) as Pick<LocalPostgres, 'port' | 'superuser'>;
  const client = new pg.Client({ host: '127.0.0.1', port, database: 'postgres', ...superuser });
  client.on('error', () => undefined);
  await client.connect();
  const { rows } = await client.query<{ data: string }>("SELECT current_setting('data_directory') AS data");
  const ended = new Promise((settle) => client.once('end', settle));
  owner.kill('SIGKILL');
  await ended;
  await until(async () => !(await accepts(port)));
  await until(() => stat(rows[0]!.data).then(() => false, () => true));
});

async function certificate(address: string): Promise<{ caPem: string; certPem: string; keyPem: string }> {
  x509.cryptoProvider.set(webcrypto);
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const generate = (): Promise<webcrypto.CryptoKeyPair> => webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const [caKeys, keys] = await Promise.all([generate(), generate()]);
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=local server test CA', keys: caKeys, signingAlgorithm: algorithm,
    extensions: [new x509.BasicConstraintsExtension(true, undefined, true)],
  }); // prettier-ignore
  const leaf = await x509.X509CertificateGenerator.create({
    subject: 'CN=local server', issuer: ca.subject, publicKey: keys.publicKey, signingKey: caKeys.privateKey, signingAlgorithm: algorithm,
    extensions: [new x509.SubjectAlternativeNameExtension([{ type: 'ip', value: address }])],
  }); // prettier-ignore
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
  return { caPem: ca.toString('pem'), certPem: leaf.toString('pem'), keyPem: x509.PemConverter.encode(pkcs8, 'PRIVATE KEY') };
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** The port closes right after the last session ended, and then the data go; there is no event for it outside of the server. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = AbortSignal.timeout(30_000);
  while (!(await holds())) deadline.throwIfAborted();
}
