import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import Docker from 'dockerode';
import { Authority } from '../../pki/authority.ts';
import { connectToDocker } from './docker-connection.ts';
import { dockerEndpoints } from './docker-endpoint.ts';
import { SecondEngine, whyNoSecondEngine } from './testing/second-engine.ts';

const skip = whyNoSecondEngine();
let engine: SecondEngine;
let home: string;
before(async () => {
  if (skip !== false) return;
  home = mkdtempSync(join(tmpdir(), 'ql3-docker-home-'));
  engine = await SecondEngine.start({ tls: true });
});
after(async () => {
  if (skip !== false) return;
  await engine[Symbol.asyncDispose]();
  rmSync(home, { recursive: true });
});

/** Which Engine answered: each has an id of its own. */
async function idBehind(environment: Record<string, string>): Promise<string> {
  const { docker } = await connectToDocker(dockerEndpoints(environment, home));
  return ((await docker.info()) as { ID: string }).ID;
}
const ownId = async (): Promise<string> => ((await engine.docker.info()) as { ID: string }).ID;
const overTls = (certificates: string) => ({ DOCKER_HOST: `tcp://127.0.0.1:${engine.tcpPort}`, DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: certificates });

test('an Engine on TCP is reached over TLS with the certificates that the environment names', { skip }, async () => {
  assert.equal(await idBehind(overTls(engine.certificates)), await ownId());
});

test('an Engine whose certificate another authority has signed is not talked to, and the reason is told', { skip }, async () => {
  const stranger = join(home, 'stranger');
  mkdirSync(stranger);
  for (const name of ['cert.pem', 'key.pem']) copyFileSync(join(engine.certificates, name), join(stranger, name));
  writeFileSync(join(stranger, 'ca.pem'), (await Authority.create('a stranger')).certificatePem);
  await assert.rejects(idBehind(overTls(stranger)), { code: 'QL3_ENVIRONMENT', fault: 'DOCKER_UNREACHABLE', message: /DOCKER_HOST, tcp:\/\/127\.0\.0\.1:\d+: .*certificate.*ca\.pem/ });
});

test('an Engine that does not know the client says no, and whose certificate it was is told', { skip }, async () => {
  const unknown = join(home, 'unknown');
  mkdirSync(unknown);
  copyFileSync(join(engine.certificates, 'ca.pem'), join(unknown, 'ca.pem'));
  const { certificatePem, privateKeyPem } = await (await Authority.create('a stranger')).issueClient('stranger');
  writeFileSync(join(unknown, 'cert.pem'), certificatePem);
  writeFileSync(join(unknown, 'key.pem'), privateKeyPem);
  await assert.rejects(idBehind(overTls(unknown)), { fault: 'DOCKER_UNREACHABLE', message: /TLS failed: .*does it know the certificate in .*unknown/ });
});

test('a client without certificates of its own is told which files are missing', { skip }, async () => {
  await assert.rejects(idBehind(overTls(join(home, 'nothing'))), { fault: 'DOCKER_UNREACHABLE', message: /ca\.pem.*DOCKER_CERT_PATH/ });
});

test('an Engine that wants TLS says so to who comes without', { skip }, async () => {
  await assert.rejects(idBehind({ DOCKER_HOST: `tcp://127.0.0.1:${engine.tcpPort}` }), { fault: 'DOCKER_UNREACHABLE', message: /DOCKER_TLS_VERIFY/ });
});

test('the context in use, and the one that the environment names, lead to their Engine, with TLS where they have it', { skip }, async () => {
  const configuration = join(home, '.docker');
  const folder = createHash('sha256').update('lab').digest('hex');
  mkdirSync(join(configuration, 'contexts/meta', folder), { recursive: true });
  mkdirSync(join(configuration, 'contexts/tls', folder, 'docker'), { recursive: true });
  for (const name of ['ca.pem', 'cert.pem', 'key.pem']) copyFileSync(join(engine.certificates, name), join(configuration, 'contexts/tls', folder, 'docker', name));
  writeFileSync(join(configuration, 'contexts/meta', folder, 'meta.json'), JSON.stringify({ Name: 'lab', Endpoints: { docker: { Host: `tcp://127.0.0.1:${engine.tcpPort}` } } }));
  assert.equal(await idBehind({ DOCKER_CONTEXT: 'lab' }), await ownId());
  writeFileSync(join(configuration, 'config.json'), JSON.stringify({ currentContext: 'lab' }));
  assert.equal(await idBehind({}), await ownId());
  rmSync(join(configuration, 'config.json'));
});

test("a rootless Engine's socket is found where the runtime folder has it", { skip }, async () => {
  const runtime = join(home, 'run');
  mkdirSync(runtime);
  symlinkSync(engine.socket, join(runtime, 'docker.sock'));
  const endpoints = dockerEndpoints({ XDG_RUNTIME_DIR: runtime }, home).filter(({ host }) => !host.startsWith('unix:///var/run') && !host.startsWith('unix:///run/podman'));
  const { docker, endpoint } = await connectToDocker(endpoints);
  assert.deepEqual([endpoint.origin, ((await docker.info()) as { ID: string }).ID], ['rootless Docker', await ownId()]);
});

const PODMAN = '/usr/bin/podman';
test('Podman is known where it answers, and why it is not used is told', { skip: existsSync(PODMAN) ? false : `${PODMAN} is not installed` }, async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'ql3-podman-'));
  const socket = join(folder, 'podman.sock');
  const service = spawn(PODMAN, ['--root', join(folder, 'root'), '--runroot', join(folder, 'run'), '--storage-driver=vfs', 'system', 'service', '--time=0', `unix://${socket}`], { stdio: 'ignore' });
  context.after(async () => {
    service.kill();
    await once(service, 'exit');
    rmSync(folder, { recursive: true, force: true });
  });
  const podman = new Docker({ socketPath: socket });
  for (const deadlineAt = performance.now() + 30_000; !(await podman.version().then(() => true, () => false)); await delay(100)) assert.ok(performance.now() < deadlineAt, 'Podman does not answer');
  await assert.rejects(connectToDocker(dockerEndpoints({ DOCKER_HOST: `unix://${socket}` }, folder)), { code: 'QL3_ENVIRONMENT', fault: 'DOCKER_UNREACHABLE', message: /DOCKER_HOST, unix:.*podman\.sock: Podman \d+\.\d+.* answers there: .*use Docker Engine/ });
});
