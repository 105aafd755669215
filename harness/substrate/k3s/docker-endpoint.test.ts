import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { connectToDocker } from './docker-connection.ts';
import { dockerEndpoints } from './docker-endpoint.ts';

function home(context: TestContext, files: Record<string, object> = {}): string {
  const directory = mkdtempSync(join(tmpdir(), 'ql3-docker-home-'));
  context.after(() => rmSync(directory, { recursive: true }));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(directory, path, '..'), { recursive: true });
    writeFileSync(join(directory, path), JSON.stringify(content));
  }
  return directory;
}
const metaOf = (name: string) => `.docker/contexts/meta/${createHash('sha256').update(name).digest('hex')}/meta.json`;

test('what the environment names is used alone: a context before a host, a host before the context in use', (context) => {
  const directory = home(context, {
    '.docker/config.json': { currentContext: 'desk' },
    [metaOf('desk')]: { Endpoints: { docker: { Host: 'unix:///desk.sock' } } },
    [metaOf('lab')]: { Endpoints: { docker: { Host: 'tcp://127.0.0.1:2376' } } },
  });
  const hosts = (environment: Record<string, string>) => dockerEndpoints(environment, directory).map(({ host }) => host);
  assert.deepEqual(hosts({}), ['unix:///desk.sock']);
  assert.deepEqual(hosts({ DOCKER_HOST: 'unix:///other.sock' }), ['unix:///other.sock']);
  assert.deepEqual(hosts({ DOCKER_HOST: 'unix:///other.sock', DOCKER_CONTEXT: 'lab' }), ['tcp://127.0.0.1:2376']);
  assert.deepEqual(hosts({ DOCKER_CONTEXT: 'unknown' }), ['']);
});

test('without a choice, the usual sockets are tried, rootless ones and Podman\'s too', (context) => {
  const directory = home(context);
  const hosts = dockerEndpoints({ XDG_RUNTIME_DIR: '/run/user/1000' }, directory).map(({ host }) => host);
  assert.deepEqual(hosts, ['unix:///var/run/docker.sock', 'unix:///run/user/1000/docker.sock', `unix://${directory}/.docker/run/docker.sock`, 'unix:///run/user/1000/podman/podman.sock', 'unix:///run/podman/podman.sock']);
});

test('TLS is used where it is asked for, with the certificates of the folder named', () => {
  const [endpoint] = dockerEndpoints({ DOCKER_HOST: 'tcp://localhost:2376', DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: '/certificates' }, '/nowhere');
  assert.deepEqual([endpoint?.host, endpoint?.certificates], ['tcp://localhost:2376', '/certificates']);
});

test('when no Engine answers, each attempt is told with its reason, and what to do instead', async () => {
  const endpoint = (host: string) => ({ origin: 'test', host, certificates: undefined });
  const attempts = [endpoint('unix:///no/such/docker.sock'), endpoint('tcp://127.0.0.1:1'), endpoint('ssh://somewhere'), endpoint('tcp://192.0.2.1:2375')];
  await assert.rejects(connectToDocker(attempts), (error: Error & { fault?: string; exitCode?: number }) => {
    assert.deepEqual([error.fault, error.exitCode], ['DOCKER_UNREACHABLE', 3]);
    for (const reason of [/no such socket/, /nothing listens there/, /only unix/, /on another machine/, /npx ql3-evidence rehearse/]) assert.match(error.message, reason);
    return true;
  });
});
