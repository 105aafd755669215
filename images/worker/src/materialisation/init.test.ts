import assert from 'node:assert/strict';
import { chmod, chown, lstat, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'node:test';

import { createCredentialToken } from '../../../core/credential-token.ts';
import { EntryPoint } from '../../testing/entry-point.ts';

const POD_ID = 65_532;
const FILES = ['ca.crt', 'capabilities.json', 'credential-token', 'tls.crt', 'tls.key'];

/** The three volumes of a Pod, laid out as the kubelet does it: `..data` links to a folder with a time stamp. */
class PodVolumes implements AsyncDisposable {
  readonly root: string;

  private constructor(root: string) {
    this.root = root;
  }

  static async create(): Promise<PodVolumes> {
    const volumes = new PodVolumes(await mkdtemp(join(tmpdir(), 'ql3-init-')));
    await chmod(volumes.root, 0o755);
    for (const name of ['source', 'private', 'state']) await mkdir(volumes.path(name));
    await volumes.project('one', { 'credential-token': createCredentialToken('one').toString('latin1') });
    for (const name of FILES) await symlink(`..data/${name}`, volumes.path(`source/${name}`));
    return volumes;
  }

  async project(version: string, changes: Readonly<Record<string, string>>): Promise<void> {
    const folder = this.path(`source/..${version}`);
    await mkdir(folder);
    for (const name of FILES) await writeFile(join(folder, name), changes[name] ?? `${name} of ${version}`, { mode: 0o440 });
    await symlink(`..${version}`, this.path('source/..data_tmp'));
    await rename(this.path('source/..data_tmp'), this.path('source/..data'));
  }

  path(name: string): string {
    return join(this.root, name);
  }

  async init(mode: string, options: { uid?: number; gid?: number } = {}): Promise<EntryPoint & { code: number | null }> {
    const environment = { QL3_INIT_SOURCE_ROOT: this.path('source'), QL3_INIT_PRIVATE_ROOT: this.path('private'), QL3_INIT_STATE_ROOT: this.path('state') };
    const entry = new EntryPoint('init.ts', [mode], environment, options);
    return Object.assign(entry, { code: await entry.exitCode() });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.root, { recursive: true, force: true });
  }
}

async function modeOf(path: string): Promise<string> {
  return ((await lstat(path)).mode & 0o777).toString(8);
}

void suite('the init entry point', () => {
  void test('worker: five files 0400 in a folder 0700, and four state folders 0700', async () => {
    await using volumes = await PodVolumes.create();
    const init = await volumes.init('worker');
    assert.equal(init.code, 0, init.output.join('\n'));
    assert.deepEqual((await readdir(volumes.path('private/private'))).sort(), FILES);
    assert.equal(await modeOf(volumes.path('private/private')), '700');
    for (const name of FILES) {
      assert.equal(await modeOf(volumes.path(`private/private/${name}`)), '400');
      assert.deepEqual(await readFile(volumes.path(`private/private/${name}`)), await readFile(volumes.path(`source/${name}`)));
    }
    assert.deepEqual((await readdir(volumes.path('state'))).sort(), ['certificates', 'journal', 'logs', 'receipts']);
    for (const name of await readdir(volumes.path('state'))) assert.equal(await modeOf(volumes.path(`state/${name}`)), '700');
    assert.doesNotMatch(init.output.join('\n'), /ql3w_/);
  });

  void test('actor: the trust anchor and the token alone', async () => {
    await using volumes = await PodVolumes.create();
    assert.equal((await volumes.init('actor')).code, 0);
    assert.deepEqual((await readdir(volumes.path('private/private'))).sort(), ['ca.crt', 'credential-token']);
    assert.deepEqual(await readdir(volumes.path('state')), ['journal']);
  });

  void test('it may run again, takes over an updated projection, and tightens what was opened', async () => {
    await using volumes = await PodVolumes.create();
    assert.equal((await volumes.init('worker')).code, 0);
    const token = createCredentialToken('two').toString('latin1');
    await volumes.project('two', { 'credential-token': token });
    await chmod(volumes.path('state/journal'), 0o2770);
    await chmod(volumes.path('private/private'), 0o2770);
    assert.equal((await volumes.init('worker')).code, 0);
    assert.equal(await readFile(volumes.path('private/private/credential-token'), 'utf8'), token);
    assert.equal(await readFile(volumes.path('private/private/tls.key'), 'utf8'), 'tls.key of two');
    assert.equal(await modeOf(volumes.path('state/journal')), '700');
    assert.equal(await modeOf(volumes.path('private/private')), '700');
  });

  void test('as uid 65532 with mounts of root that belong to the fsGroup', { skip: process.getuid?.() === 0 ? false : 'only root can become another user' }, async () => {
    await using volumes = await PodVolumes.create();
    for (const name of ['private', 'state', 'source/..one']) {
      await chown(volumes.path(name), 0, POD_ID);
      await chmod(volumes.path(name), name === 'source/..one' ? 0o750 : 0o2770);
    }
    for (const name of FILES) await chown(volumes.path(`source/..one/${name}`), 0, POD_ID);
    const init = await volumes.init('worker', { uid: POD_ID, gid: POD_ID });
    assert.equal(init.code, 0, init.output.join('\n'));
    const key = await stat(volumes.path('private/private/tls.key'));
    assert.deepEqual({ uid: key.uid, mode: key.mode & 0o7777 }, { uid: POD_ID, mode: 0o400 });
    assert.equal(await modeOf(volumes.path('state')), '770', 'the mount itself is the kubelet\'s and stays as it is');
    assert.equal(await modeOf(volumes.path('state/certificates')), '700');
  });

  const faults: readonly { name: string; code: string; arrange: (volumes: PodVolumes) => Promise<void> }[] = [
    { name: 'a key that is missing', code: 'WORKER_FILE_REFUSED', arrange: (volumes) => rm(volumes.path('source/..one/tls.key')) },
    { name: 'a token with a newline', code: 'WORKER_CREDENTIAL_TOKEN_INVALID', arrange: (volumes) => volumes.project('bad', { 'credential-token': `${createCredentialToken('one').toString('latin1')}\n` }) },
    { name: 'an empty certificate', code: 'WORKER_FILE_REFUSED', arrange: (volumes) => volumes.project('bad', { 'credential-token': createCredentialToken('one').toString('latin1'), 'tls.crt': '' }) },
    { name: 'capabilities that are too large', code: 'WORKER_FILE_REFUSED', arrange: (volumes) => volumes.project('bad', { 'capabilities.json': 'x'.repeat(20_000) }) },
    {
      name: 'a link that leads out of the volume',
      code: 'WORKER_FILE_REFUSED',
      arrange: async (volumes) => {
        await rm(volumes.path('source/..one/ca.crt'));
        await symlink('/etc/hostname', volumes.path('source/..one/ca.crt'));
      },
    },
    { name: 'a link where the private folder should be', code: 'WORKER_FOLDER_REFUSED', arrange: (volumes) => symlink(volumes.path('state'), volumes.path('private/private')) },
  ];
  for (const { name, code, arrange } of faults) {
    void test(`${name} is refused, and nothing is written`, async () => {
      await using volumes = await PodVolumes.create();
      await arrange(volumes);
      const init = await volumes.init('worker');
      assert.equal(init.code, 1);
      await init.event('init_failed', { code });
      assert.deepEqual(await readdir(volumes.path('state')), []);
      assert.doesNotMatch(init.output.join('\n'), /ql3w_[a-z]/);
    });
  }
});
