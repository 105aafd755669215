import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { startLocalPostgres, type LocalPostgres, type ServerTls } from '../../database/local-server.ts';
import { Authority, type Identity } from '../../pki/authority.ts';
import { assertSameServer, toSighting } from './database-reach.ts';

/** What a Pod runs, run here: against a real PostgreSQL, with and without TLS. */
const script = await readFile(new URL('database-reach.script.mjs', import.meta.url), 'utf8');
let directory: string;
let authority: Authority;
let identity: Identity;
let secured: LocalPostgres;
let misnamed: LocalPostgres;
let open: LocalPostgres;

before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ql3-reach-'));
  authority = await Authority.create('ql3 test');
  identity = await authority.issueServer('localhost', { dns: ['localhost'], ip: ['127.0.0.1'] });
  const start = async (name: string, tls?: ServerTls) => await startLocalPostgres({ directory: await mkdtemp(join(directory, name)), ...(tls === undefined ? {} : { tls }) });
  const another = await authority.issueServer('elsewhere', { dns: ['elsewhere'], ip: ['192.0.2.1'] });
  const serving = ({ certificatePem, privateKeyPem }: Identity): ServerTls => ({ certPem: certificatePem, keyPem: privateKeyPem });
  [secured, misnamed, open] = await Promise.all([start('tls-', serving(identity)), start('misnamed-', serving(another)), start('open-')]);
});
after(async () => {
  await Promise.all([secured, misnamed, open].map((server) => server.stop()));
  await rm(directory, { recursive: true, force: true });
});

async function tryFrom({ port }: { port: number }, caPem: string): Promise<string> {
  const run = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script, '127.0.0.1', String(port), caPem]);
  return await run.then(({ stdout }) => stdout, (error: { stdout: string }) => error.stdout);
}
const at = (port: number) => ({ fromPods: { host: '127.0.0.1', port, cidr: '127.0.0.1/32' } });

test('PostgreSQL is reached over TLS, and its certificate is the one that was made', async () => {
  const { protocol, fingerprint } = toSighting(await tryFrom(secured, authority.certificatePem), at(secured.port));
  assert.deepEqual([protocol, fingerprint], ['TLSv1.3', identity.fingerprint]);
});

test('what keeps a Pod from it is told: another authority, another name, no TLS, nobody there', async () => {
  const stranger = await Authority.create('a stranger');
  const refused = async (server: { port: number }, caPem: string, message: RegExp) => {
    const said = await tryFrom(server, caPem);
    assert.throws(() => toSighting(said, at(server.port)), { code: 'QL3_ENVIRONMENT', fault: 'DATABASE_UNREACHABLE', message });
  };
  await refused(secured, stranger.certificatePem, /certificate|SELF_SIGNED/i);
  await refused(misnamed, authority.certificatePem, /ERR_TLS_CERT_ALTNAME_INVALID/);
  await refused(open, authority.certificatePem, /does not offer TLS/);
  await refused({ port: 1 }, authority.certificatePem, /ECONNREFUSED/);
  assert.throws(() => toSighting('', at(1)), { fault: 'DATABASE_UNREACHABLE', message: /it printed ""/ });
});

test('a Pod that reaches another server than this machine has not reached ours', () => {
  const seen = (fingerprint: string) => ({ protocol: 'TLSv1.3', fingerprint });
  assert.doesNotThrow(() => assertSameServer(seen('aa'), seen('aa')));
  assert.throws(() => assertSameServer(seen('aa'), seen('bb')), { fault: 'DATABASE_UNREACHABLE', message: /bb and aa/ });
});
