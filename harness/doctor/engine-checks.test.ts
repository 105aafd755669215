import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { PINNED_BASE_IMAGE, PINNED_IMAGES } from '../../evidence/pins.ts';
import { connectTo } from '../substrate/k3s/docker-connection.ts';
import { checkEngine } from '../substrate/k3s/preflight.ts';
import { SubstrateError } from '../substrate/k3s/substrate-error.ts';
import { CHECKS } from './all-checks.ts';
import { diskDocker } from './checks/disk-docker.ts';
import { inotify } from './checks/inotify.ts';
import { canRun, examine, type CheckResult } from './examine.ts';
import { StagedEngine, type Stage } from './testing/staged-engine.ts';
import { UNCLEAR } from './testing/unclear.ts';

const DOCKER_CHECKS = CHECKS.filter(({ substrate, name }) => substrate === 'k3s' && !['inotify', 'disk-docker'].includes(name));
const NOWHERE = join(tmpdir(), 'ql3-no-home');
const pinned = ({ name, digest }: { name: string; digest: string }) => `${name}@${digest}`;
const ALL_IMAGES = {
  [pinned(PINNED_IMAGES.k3s)]: { RepoDigests: [`rancher/k3s@${PINNED_IMAGES.k3s.digest}`] },
  [pinned(PINNED_IMAGES.postgres)]: { RepoDigests: [`postgres@${PINNED_IMAGES.postgres.digest}`] },
  [PINNED_BASE_IMAGE.digest === null ? PINNED_BASE_IMAGE.name : pinned({ ...PINNED_BASE_IMAGE, digest: PINNED_BASE_IMAGE.digest })]: { RepoDigests: [`node@${PINNED_BASE_IMAGE.digest ?? `sha256:${'0'.repeat(64)}`}`] },
};
const [K3S = '', POSTGRES = '', NODE = ''] = Object.keys(ALL_IMAGES);

async function examineEngine(stage: Stage, options: { readonly pull?: 'missing' | 'never' } = {}): Promise<readonly CheckResult[]> {
  await using engine = await StagedEngine.start({ images: ALL_IMAGES, ...stage });
  return await examine(DOCKER_CHECKS, { substrates: ['k3s'], environment: { DOCKER_HOST: engine.host }, home: NOWHERE, ...options });
}

function resultOf(results: readonly CheckResult[], name: string): CheckResult {
  const found = results.find((result) => result.name === name);
  assert.ok(found, `expected a result ${name}, got ${results.map((result) => result.name).join(', ')}`);
  return found;
}

describe('what the doctor says of a Docker Engine', () => {
  it('nothing stands in the way where everything is as it should be', async () => {
    const results = await examineEngine({});
    assert.deepEqual(results.filter(({ state }) => state !== 'ok' && state !== 'skipped'), []);
    for (const { name, found } of results) assert.doesNotMatch(found, UNCLEAR, name);
  });

  const unfit: readonly [string, string, Stage, RegExp][] = [
    ['older than cgroup namespaces', 'docker-version', { version: { Version: '19.3.0', ApiVersion: '1.40' } }, /19\.3\.0/],
    ['whose API version has one digit after the point', 'docker-version', { version: { ApiVersion: '1.9' } }, /1\.9/],
    ['of Windows containers', 'docker-platform', { info: { OSType: 'windows' } }, /windows/],
    ['on a storage driver that a cluster cannot store on', 'docker-platform', { info: { Driver: 'zfs' } }, /zfs/],
    ['that is rootless on cgroup v1', 'cgroups', { info: { CgroupVersion: '1', SecurityOptions: ['name=rootless'] } }, /rootless/],
    ["whose machine's clock is two hours behind", "clock: Docker's", { info: { KernelVersion: 'other', SystemTime: new Date(Date.now() - 7_200_000).toISOString() } }, /-7\d{6} ms/],
    ['whose machine has too little memory', 'memory', { info: { KernelVersion: 'other', MemTotal: 1024 ** 3 } }, /1\.0 GiB/],
  ];
  for (const [words, name, stage, found] of unfit) {
    it(`an Engine ${words} cannot run K3s`, async () => {
      await using engine = await StagedEngine.start({ images: ALL_IMAGES, ...stage });
      const results = await examine(CHECKS.filter((check) => name.startsWith(check.name)), { substrates: ['k3s'], environment: { DOCKER_HOST: engine.host }, home: NOWHERE });
      const result = resultOf(results, name);
      assert.equal(result.state, 'failed');
      assert.match(result.found, found);
      assert.notEqual(result.cure, null);
      assert.equal(canRun('k3s', results), false);
    });
  }

  it('what plugins allow cannot be known without trying, and is a warning', async () => {
    const { state, cure } = resultOf(await examineEngine({ info: { Plugins: { Authorization: ['opa'] } } }), 'privileges');
    assert.equal(state, 'warning');
    assert.match(cure ?? '', /plugins/);
  });

  it('disk and limits of another machine are not taken for those of this one', async () => {
    await using engine = await StagedEngine.start({ info: { KernelVersion: 'other' } });
    const results = await examine([diskDocker, inotify], { substrates: ['k3s'], environment: { DOCKER_HOST: engine.host }, home: NOWHERE });
    assert.deepEqual(results.map(({ state }) => state), ['unknown', 'unknown']);
  });
});

describe('what the doctor says of images', () => {
  it('all that are missing at once, each with the command that fetches it', async () => {
    const store = resultOf(await examineEngine({ images: { [POSTGRES]: ALL_IMAGES[POSTGRES] as { RepoDigests: string[] } } }, { pull: 'never' }), 'images: store');
    assert.equal(store.state, 'failed');
    assert.deepEqual(store.cure?.split('\n'), [`docker pull ${K3S}`, `docker pull ${NODE}`]);
  });

  it('missing ones keep nobody from running who may pull, unless the registry is out of reach', async () => {
    assert.equal(resultOf(await examineEngine({ images: {} }), 'images: store').state, 'warning');
    const offline = await examineEngine({ images: {}, unreachable: 'no such host' });
    assert.equal(resultOf(offline, 'images: store').state, 'failed');
    assert.match(resultOf(offline, 'images: registry').found, /no such host/);
  });

  it('where all are there, being offline is a warning that names --pull=never', async () => {
    const results = await examineEngine({ unreachable: 'no such host' });
    assert.equal(resultOf(results, 'images: store').state, 'ok');
    assert.equal(resultOf(results, 'images: registry').state, 'warning');
    assert.match(resultOf(results, 'images: registry').cure ?? '', /--pull=never/);
  });

  it('who pulls nothing hears nothing of the registry', async () => {
    const registry = resultOf(await examineEngine({ unreachable: 'no such host' }, { pull: 'never' }), 'images: registry');
    assert.deepEqual([registry.state, registry.found], ['skipped', 'not asked, since nothing is to be pulled']);
  });

  it('one with another digest is not the pinned one', async () => {
    const store = resultOf(await examineEngine({ images: { ...ALL_IMAGES, [K3S]: { RepoDigests: [`rancher/k3s@sha256:${'f'.repeat(64)}`] } } }), 'images: store');
    assert.equal(store.state, 'failed');
    assert.match(store.cure ?? '', /docker image rm rancher\/k3s/);
  });
});

describe('how the doctor finds Docker', () => {
  const dockerResults = async (environment: Readonly<Record<string, string>>, home = NOWHERE) =>
    (await examine(CHECKS.filter(({ name }) => name === 'docker'), { substrates: ['k3s'], environment, home })).map(({ name, state, found, cure }) => ({ way: name.replace('docker: ', ''), state, found, cure }));

  it('DOCKER_HOST decides, and the other ways are told as not gone', async () => {
    await using engine = await StagedEngine.start();
    const ways = await dockerResults({ DOCKER_HOST: engine.host });
    assert.deepEqual(ways.filter(({ state }) => state === 'ok').map(({ way }) => way), ['DOCKER_HOST']);
    assert.match(ways.find(({ way }) => way === 'the default socket')?.found ?? '', /DOCKER_HOST comes first/);
  });

  it('a DOCKER_HOST where nobody listens fails with its reason, and no other Engine is taken instead', async () => {
    const ways = await dockerResults({ DOCKER_HOST: 'unix:///nowhere/docker.sock' });
    assert.deepEqual(ways.filter(({ state }) => state === 'failed').map(({ way }) => way), ['DOCKER_HOST']);
    assert.deepEqual(ways.filter(({ state }) => state === 'ok'), []);
    assert.match(ways.find(({ way }) => way === 'DOCKER_HOST')?.cure ?? '', /unset DOCKER_HOST/);
  });

  it('an Engine of another machine, and a certificate that is not there, are told as what they are', async () => {
    const found = async (environment: Readonly<Record<string, string>>) => (await dockerResults(environment)).find(({ state }) => state === 'failed')?.found;
    assert.match((await found({ DOCKER_HOST: 'tcp://192.0.2.1:2375' })) ?? '', /another machine/);
    assert.match((await found({ DOCKER_HOST: 'tcp://127.0.0.1:1', DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: '/nowhere' })) ?? '', /\/nowhere/);
  });

  it('a context that is in use but not described', async () => {
    const home = mkdtempSync(join(tmpdir(), 'ql3-home-'));
    mkdirSync(join(home, '.docker'));
    writeFileSync(join(home, '.docker/config.json'), '{"currentContext":"lab"}');
    const ways = await dockerResults({}, home);
    rmSync(home, { recursive: true });
    assert.match(ways.find(({ state }) => state === 'failed')?.cure ?? '', /docker context use default/);
  });
});

it('an Engine that takes requests and never answers is given up, and told as what stands in the way', async () => {
  await using engine = await StagedEngine.start({ hangs: true });
  const results = await examine(CHECKS, { substrates: ['embedded', 'k3s'], environment: { DOCKER_HOST: engine.host }, home: NOWHERE });
  assert.match(resultOf(results, 'docker: DOCKER_HOST').found, /no answer within/);
  assert.deepEqual([canRun('k3s', results), resultOf(results, 'docker-version').state], [false, 'skipped']);
});

it("the run's own preflight refuses by the same checks, before it starts anything, and tells all at once", async () => {
  await using engine = await StagedEngine.start({ version: { ApiVersion: '1.40' }, info: { Driver: 'btrfs' }, images: {} });
  const connection = await connectTo({ origin: 'the test', host: engine.host, certificates: undefined }, 30_000);
  await assert.rejects(checkEngine(connection, 'never'), (error: unknown) => {
    assert.ok(error instanceof SubstrateError);
    assert.deepEqual([error.exitCode, error.fault], [3, 'DOCKER_UNFIT']);
    for (const part of ['1.40', 'btrfs', `docker pull ${K3S}`, `docker pull ${POSTGRES}`, `docker pull ${NODE}`]) assert.ok(error.message.includes(part), part);
    return true;
  });
});
