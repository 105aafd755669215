import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, suite, test } from 'node:test';

import { RunAuthority, type IssuedPair } from '../../testing/run-authority.ts';
import { IdentitySource, type IdentityNotice } from './identity-source.ts';
import { IdentityStore } from './identity-store.ts';

void suite('the identity store', () => {
  let root = '';
  let store: IdentityStore;
  let authority: RunAuthority;
  const notices: IdentityNotice[] = [];

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'ql3-identity-'));
    await mkdir(join(root, 'store'), { mode: 0o700 });
    store = new IdentityStore(join(root, 'store'));
    authority = await RunAuthority.create('identity tests');
    notices.length = 0;
  });
  afterEach(async () => {
    await rm(root, { recursive: true, force: true });
  });

  async function writeBootstrap(pair: Partial<IssuedPair>): Promise<void> {
    const files = [['tls.crt', pair.certificatePem], ['tls.key', pair.privateKeyPem]] as const;
    for (const [name, text] of files) {
      if (text === undefined) continue;
      await rm(join(root, name), { force: true });
      await writeFile(join(root, name), text, { mode: 0o400 });
    }
  }

  function source(): IdentitySource {
    return new IdentitySource(store, { certificateFile: join(root, 'tls.crt'), privateKeyFile: join(root, 'tls.key') }, (notice) => notices.push(notice));
  }

  void test('the same certificate is installed once, another one becomes the next generation', async () => {
    await writeBootstrap(await authority.issueClient('a'));
    assert.equal((await source().start()).generation, 1);
    assert.equal((await source().start()).generation, 1);
    await writeBootstrap(await authority.issueClient('b'));
    assert.equal((await source().start()).generation, 2);
    assert.deepEqual(notices.map((notice) => notice.code), ['identity_installed', 'identity_installed']);
    const folder = join(root, 'store/generation-00000002');
    assert.equal((await stat(folder)).mode & 0o777, 0o700);
    for (const name of ['tls.crt', 'tls.key']) assert.equal((await stat(join(folder, name))).mode & 0o777, 0o400);
  });

  void test('a replaced pair counts from the next request on; a half replaced one leaves the stored identity in use', async () => {
    await writeBootstrap(await authority.issueClient('a'));
    const identity = source();
    const first = await identity.start();
    const next = await authority.issueClient('b');
    await writeBootstrap({ certificatePem: next.certificatePem });
    assert.equal((await identity.next()).pair.fingerprint, first.pair.fingerprint);
    assert.equal((await identity.next()).pair.fingerprint, first.pair.fingerprint);
    assert.equal(notices.filter((notice) => notice.code === 'identity_bootstrap_refused').length, 1, 'told once');
    await writeBootstrap({ privateKeyPem: next.privateKeyPem });
    assert.equal((await identity.next()).generation, 2);
  });

  void test('a predecessor keeps the identity it has, although its successor has installed a newer one', async () => {
    await writeBootstrap(await authority.issueClient('a'));
    const predecessor = source();
    const first = await predecessor.start();
    const other = await mkdtemp(join(root, 'other-'));
    const pair = await authority.issueClient('b');
    await writeFile(join(other, 'tls.crt'), pair.certificatePem, { mode: 0o400 });
    await writeFile(join(other, 'tls.key'), pair.privateKeyPem, { mode: 0o400 });
    await new IdentitySource(store, { certificateFile: join(other, 'tls.crt'), privateKeyFile: join(other, 'tls.key') }, () => {}).start();
    assert.equal((await predecessor.next()).pair.fingerprint, first.pair.fingerprint);
    assert.equal((await store.current())?.generation, 2);
  });

  void test('key files that a kubelet opened to the group are closed again; old generations go', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      await writeBootstrap(await authority.issueClient(name));
      await source().start();
    }
    assert.deepEqual((await readdir(join(root, 'store'))).sort(), ['generation-00000003', 'generation-00000004', 'generation-00000005']);
    const folder = join(root, 'store/generation-00000005');
    await chmod(join(folder, 'tls.key'), 0o660);
    await chmod(folder, 0o2770);
    assert.equal((await source().start()).generation, 5);
    assert.equal((await stat(join(folder, 'tls.key'))).mode & 0o777, 0o400);
  });

  void test('a damaged generation is superseded by the sound pair at hand', async () => {
    await writeBootstrap(await authority.issueClient('a'));
    await source().start();
    const key = join(root, 'store/generation-00000001/tls.key');
    await chmod(key, 0o600);
    await writeFile(key, 'no key');
    assert.equal((await source().start()).generation, 2);
  });

  void test('a key that others can read, that is another one, or that is none is refused at start, and nothing is installed', async () => {
    const pair = await authority.issueClient('a');
    const another = await authority.issueClient('b');
    for (const [privateKeyPem, mode, code] of [
      [pair.privateKeyPem, 0o440, 'WORKER_FILE_REFUSED'],
      [another.privateKeyPem, 0o400, 'WORKER_IDENTITY_INVALID'],
      ['-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n', 0o400, 'WORKER_IDENTITY_INVALID'],
    ] as const) {
      await writeBootstrap({ certificatePem: pair.certificatePem, privateKeyPem });
      await chmod(join(root, 'tls.key'), mode);
      await assert.rejects(source().start(), { code });
      assert.deepEqual(await readdir(join(root, 'store')), []);
    }
  });

  void test('without bootstrap files the stored identity is used, and an empty store is an error', async () => {
    const stored = new IdentitySource(store, null, () => {});
    await assert.rejects(stored.start(), { code: 'WORKER_IDENTITY_INVALID' });
    await writeBootstrap(await authority.issueClient('a'));
    await source().start();
    assert.equal((await stored.next()).generation, 1);
  });
});
