import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { test, type TestContext } from 'node:test';
import type Docker from 'dockerode';
import { execInContainer } from './container-exec.ts';
import { putFiles } from './container-files.ts';
import { untilDeath } from './container-death.ts';
import { startContainer } from './start-container.ts';
import { connectToDocker } from './docker-connection.ts';
import { labelsOfRun } from './run-labels.ts';
import { removeRun } from './run-objects.ts';

const image = process.env.QL3_NODE_IMAGE ?? 'node:24.18.0-bookworm-slim';
const docker = await connectToDocker().then((connection) => connection.docker, () => undefined);
const isThere = await docker?.getImage(image).inspect().then(() => true, () => false);
const skip = isThere ? false : `no Docker, or no image ${image}`;

async function start(context: TestContext, program: string): Promise<Docker.Container> {
  assert.ok(docker);
  const runId = randomUUID();
  context.after(() => removeRun(docker, runId));
  const container = await docker.createContainer({ Image: image, Entrypoint: ['node', '--eval', program], Labels: { ...labelsOfRun(runId) }, HostConfig: { NetworkMode: 'none' } });
  await putFiles(container, [{ path: '/etc/ql3/deep/file', content: 'before the start', mode: 0o400, uid: 1000 }]);
  await container.start();
  return container;
}
const signal = AbortSignal.timeout(300_000);

test('files are put in before the start, commands get their input and give both outputs and the exit code', { skip }, async (context) => {
  const container = await start(context, 'setInterval(() => {}, 1 << 30)');
  const program = "const { statSync, readFileSync } = require('fs'); const { mode, uid } = statSync('/etc/ql3/deep/file'); console.log(readFileSync('/etc/ql3/deep/file', 'utf8'), (mode & 0o777).toString(8), uid); console.error('complains'); process.exit(3);";
  const seen = await execInContainer(container, ['node', '--eval', program], { signal });
  assert.deepEqual([seen.exitCode, seen.stdout.toString(), seen.stderr], [3, 'before the start 400 1000\n', 'complains\n']);
  const large = Readable.from(Array.from({ length: 200 }, () => Buffer.alloc(100_000, 'x')));
  const counted = await execInContainer(container, ['node', '--eval', "let n = 0; process.stdin.on('data', (c) => { n += c.length; }).on('end', () => console.log(n));"], { input: large, signal });
  assert.deepEqual([counted.exitCode, counted.stdout.toString()], [0, '20000000\n']);
});

test('a command that ends before its input does not hang', { skip }, async (context) => {
  const container = await start(context, 'setInterval(() => {}, 1 << 30)');
  const endless = new Readable({ read() { this.push(Buffer.alloc(65_536)); } });
  const { exitCode, stderr } = await execInContainer(container, ['node', '--eval', "console.error('enough'); process.exit(1)"], { input: endless, signal });
  endless.destroy();
  assert.deepEqual([exitCode, stderr], [1, 'enough\n']);
});

test('a container that ends is reported with its exit code, its last lines and what they mean', { skip }, async (context) => {
  const container = await start(context, "console.error('level=fatal msg=\"failed to find cpu cgroup (v2)\"'); setTimeout(() => process.exit(1), 500)");
  await assert.rejects(untilDeath(container, 'the cluster', signal), (error: Error & { fault?: string }) => {
    assert.equal(error.fault, 'CONTAINER_DIED');
    assert.match(error.message, /exit code 1\. K3s could not use the cgroups.*\n.*failed to find cpu cgroup/s);
    return true;
  });
});

test('a port that is taken is told as that, and is no defect of the program', { skip }, async (context) => {
  assert.ok(docker);
  const runId = randomUUID();
  context.after(() => removeRun(docker, runId));
  const program = ['node', '--eval', 'setInterval(() => {}, 1 << 30)'];
  const make = async (HostPort: string) => await docker.createContainer({ Image: image, Entrypoint: program, Labels: { ...labelsOfRun(runId) }, ExposedPorts: { '80/tcp': {} }, HostConfig: { PortBindings: { '80/tcp': [{ HostIp: '127.0.0.1', HostPort }] } } });
  const first = await make('0');
  await startContainer(first, 'the first', signal);
  const { NetworkSettings } = await first.inspect();
  const second = await make(NetworkSettings.Ports['80/tcp']?.[0]?.HostPort ?? '');
  await assert.rejects(startContainer(second, 'the second', signal), { code: 'QL3_ENVIRONMENT', fault: 'CONTAINER_NOT_STARTED', message: /the second, got: .*(already allocated|already in use).*a port is taken/s });
});
