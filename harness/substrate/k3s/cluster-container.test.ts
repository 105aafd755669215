import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import type Docker from 'dockerode';
import { resolveImage } from '../../images/resolve-image.ts';
import { startClusterContainer } from './cluster-container.ts';
import { connectToDocker } from './docker-connection.ts';
import { labelsOfRun } from './run-labels.ts';
import { listRunObjects, removeRun } from './run-objects.ts';
import { buildTestImage, SLEEPER_PROGRAM } from './testing/test-image.ts';

const base = process.env.QL3_NODE_IMAGE;
const IMAGE = 'ql3-test-cluster:1';
const docker = await connectToDocker().then((connection) => connection.docker, () => undefined);
const skip = docker === undefined ? 'no Docker' : base === undefined ? 'QL3_NODE_IMAGE names no image' : false;
const signal = AbortSignal.timeout(300_000);

before(async () => {
  if (skip === false) await buildTestImage(docker as Docker, IMAGE, { base: base as string, program: SLEEPER_PROGRAM });
});
after(async () => {
  if (skip === false) await (docker as Docker).getImage(IMAGE).remove({ force: true });
});

for (const [cgroupVersion, isOwn] of [['1', false], ['2', true]] as const) {
  test(`on cgroup v${cgroupVersion} the cluster is privileged, reached from this machine alone, and ${isOwn ? 'sees a cgroup namespace of its own' : "has the Engine's usual cgroup namespace"}`, { skip }, async (context) => {
    const engine = docker as Docker;
    const runId = randomUUID();
    context.after(() => removeRun(engine, runId));
    const labels = labelsOfRun(runId);
    const network = `ql3-test-${runId.slice(0, 8)}`;
    await engine.createNetwork({ Name: network, Driver: 'bridge', Labels: { ...labels } });
    const image = await resolveImage(engine, { name: IMAGE, digest: null }, { override: undefined, pull: 'never', signal });
    const container = await startClusterContainer(engine, { name: `${network}-k3s`, image, network, labels, engine: { cgroupVersion, remapsUsers: false, isRootless: false } }, { signal });
    const { HostConfig, NetworkSettings, Config } = await container.inspect();
    assert.deepEqual([HostConfig.Privileged, HostConfig.Tmpfs], [true, { '/run': '', '/var/run': '' }]);
    assert.deepEqual((NetworkSettings.Ports['6443/tcp'] ?? []).map(({ HostIp }) => HostIp), ['127.0.0.1']);
    if (isOwn) assert.equal((HostConfig as { CgroupnsMode?: string }).CgroupnsMode, 'private');
    else assert.notEqual((HostConfig as { CgroupnsMode?: string }).CgroupnsMode, '');
    assert.deepEqual(Config.Env.filter((entry) => /token|password|secret/i.test(entry)), []);
    assert.deepEqual((await listRunObjects(engine, runId)).map(({ kind }) => kind), ['container', 'network']);
  });
}
