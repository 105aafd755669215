import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { tarOf } from '../substrate/k3s/testing/test-image.ts';
import { freePort, SecondEngine, whyNoSecondEngine } from '../substrate/k3s/testing/second-engine.ts';
import { readEngineMessages } from './engine-messages.ts';
import { resolveImage, type ImagePin } from './resolve-image.ts';

const REGISTRY = '/usr/bin/docker-registry';
const skip = whyNoSecondEngine() || (existsSync(REGISTRY) ? false : `no registry here: ${REGISTRY} is not installed (Debian: docker-registry)`);
const signal = AbortSignal.timeout(600_000);
let engine: SecondEngine;
let registry: ChildProcess;
let folder: string;
let address: string;

before(async () => {
  if (skip !== false) return;
  folder = mkdtempSync(join(tmpdir(), 'ql3-registry-'));
  address = `127.0.0.1:${await freePort()}`;
  writeFileSync(join(folder, 'config.yml'), `version: 0.1\nstorage: { filesystem: { rootdirectory: ${join(folder, 'data')} } }\nhttp: { addr: '${address}' }\nlog: { level: error }\n`);
  registry = spawn(REGISTRY, ['serve', join(folder, 'config.yml')], { stdio: 'ignore' });
  engine = await SecondEngine.start();
  for (const deadlineAt = performance.now() + 30_000; !(await fetch(`http://${address}/v2/`).then(({ ok }) => ok, () => false)); await delay(50)) assert.ok(performance.now() < deadlineAt, 'the registry does not answer');
});
after(async () => {
  if (skip !== false) return;
  await engine[Symbol.asyncDispose]();
  registry.kill();
  await once(registry, 'exit');
  rmSync(folder, { recursive: true, force: true });
});

interface Published {
  readonly pin: ImagePin & { readonly digest: string };
  /** Hex of the layer's blob in the registry. */
  readonly blobs: readonly string[];
}

/** An image that is in the registry, and in the Engine's store no more. */
async function publish(name: string, content: string): Promise<Published> {
  const { docker } = engine;
  const reference = `${address}/${name}:1`;
  const archive = tarOf('file', Buffer.from(content));
  const imported = (await docker.importImage(Readable.from([archive]), { repo: `${address}/${name}`, tag: '1' })) as unknown as Readable;
  await readEngineMessages(imported, signal);
  const { failure } = await readEngineMessages((await docker.getImage(reference).push({ authconfig: { username: 'u', password: 'p' } })) as Readable, signal);
  assert.equal(failure, undefined);
  await docker.getImage(reference).remove({ force: true });
  const answer = await fetch(`http://${address}/v2/${name}/manifests/1`, { headers: { accept: 'application/vnd.docker.distribution.manifest.v2+json' } });
  const text = await answer.text();
  const { layers } = JSON.parse(text) as { layers: { digest: string }[] };
  return { pin: { name: reference, digest: `sha256:${createHash('sha256').update(text).digest('hex')}` }, blobs: layers.map(({ digest }) => digest.slice('sha256:'.length)) };
}

const isThere = async ({ name, digest }: ImagePin): Promise<boolean> => await engine.docker.getImage(`${name}@${digest}`).inspect().then(() => true, () => false);

test('a pin that is not there is pulled by its digest, verified, and found the next time without a registry', { skip }, async () => {
  const { pin } = await publish('pinned', 'content');
  const pulled = await resolveImage(engine.docker, pin, { override: undefined, pull: 'missing', signal });
  assert.deepEqual([pulled.reference, pulled.digest, pulled.isPinned], [`${pin.name}@${pin.digest}`, pin.digest, true]);
  const again = await resolveImage(engine.docker, pin, { override: undefined, pull: 'never', signal });
  assert.equal(again.id, pulled.id);
});

test('what --pull=never forbids is not done: the image is not fetched, and how to have it is told', { skip }, async () => {
  const { pin } = await publish('forbidden', 'content');
  await assert.rejects(resolveImage(engine.docker, pin, { override: undefined, pull: 'never', signal }), { code: 'IMAGE_NOT_FOUND', message: new RegExp(`docker pull .*forbidden.*@${pin.digest}`) });
  assert.equal(await isThere(pin), false);
});

test('another digest than that of any image is refused, though the tag exists', { skip }, async () => {
  const { pin } = await publish('another', 'content');
  const wrong = { name: pin.name, digest: `sha256:${'5'.repeat(64)}` };
  await assert.rejects(resolveImage(engine.docker, wrong, { override: undefined, pull: 'missing', signal }), { code: 'IMAGE_PULL_FAILED', message: /sha256:5{64} could not be pulled: .*(manifest|not found)/ });
});

test('a pull that fails in the middle of a stream that began with success is a failure, and leaves no image', { skip }, async () => {
  const { pin, blobs } = await publish('broken', 'content that is lost in the registry');
  for (const blob of blobs) rmSync(join(folder, 'data/docker/registry/v2/blobs/sha256', blob.slice(0, 2), blob), { recursive: true });
  await assert.rejects(resolveImage(engine.docker, pin, { override: undefined, pull: 'missing', signal }), (error: Error & { code?: string }) => {
    assert.equal(error.code, 'IMAGE_PULL_FAILED');
    assert.match(error.message, /unknown blob|not found|unexpected status/i);
    return true;
  });
  assert.equal(await isThere(pin), false);
});

test('a registry that does not answer is told as that', { skip }, async () => {
  const nowhere = { name: `127.0.0.1:${await freePort()}/absent:1`, digest: `sha256:${'0'.repeat(64)}` };
  await assert.rejects(resolveImage(engine.docker, nowhere, { override: undefined, pull: 'missing', signal }), { code: 'IMAGE_PULL_FAILED', message: /connection refused/ });
});

test('another image in the place of the pin is used as it is named, and is not the pin', { skip }, async () => {
  const { pin } = await publish('override', 'another content');
  const resolved = await resolveImage(engine.docker, { name: 'pinned:1', digest: `sha256:${'1'.repeat(64)}` }, { override: pin.name, pull: 'missing', signal });
  assert.deepEqual([resolved.name, resolved.digest, resolved.isPinned], [pin.name, pin.digest, false]);
});
