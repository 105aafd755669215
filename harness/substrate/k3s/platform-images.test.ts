import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { readEngineMessages } from '../../images/engine-messages.ts';
import { ownImagesInStore } from './platform-images.ts';
import { SecondEngine, whyNoSecondEngine } from './testing/second-engine.ts';
import { tarOf } from './testing/test-image.ts';

test("of K3s's own images those that a node needs here are taken from the store, under every tag that they have, and no others", { skip: whyNoSecondEngine() }, async () => {
  await using engine = await SecondEngine.start();
  const { docker } = engine;
  const names = ['rancher/mirrored-pause:3.6', 'rancher/mirrored-coredns-coredns:1.12.3', 'rancher/mirrored-metrics-server:v0.8.0', 'rancher/mirrored-pause-windows:3.6', 'registry:5000/rancher/mirrored-pause:3.6'];
  for (const name of names) {
    const [repo, tag] = [name.slice(0, name.lastIndexOf(':')), name.slice(name.lastIndexOf(':') + 1)];
    await readEngineMessages((await docker.importImage(Readable.from([tarOf('file', Buffer.from(name))]), { repo, tag })) as unknown as Readable, AbortSignal.timeout(300_000));
  }
  const { Id } = await docker.getImage('rancher/mirrored-pause:3.6').inspect();
  await docker.getImage(Id).tag({ repo: 'rancher/mirrored-pause', tag: '3.7' });
  const own = await ownImagesInStore(docker);
  assert.deepEqual(own.map(({ tag }) => tag).sort(), ['rancher/mirrored-coredns-coredns:1.12.3', 'rancher/mirrored-pause:3.6', 'rancher/mirrored-pause:3.7']);
  assert.deepEqual(new Set(own.filter(({ tag }) => tag.includes('pause')).map(({ id }) => id)), new Set([Id]));
});
