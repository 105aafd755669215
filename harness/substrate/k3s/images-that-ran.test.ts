import assert from 'node:assert/strict';
import { test } from 'node:test';
import { imagesThatRan } from './images-that-ran.ts';

test('an image counts once, by whichever name or id its containers were made, with the digest that ran', () => {
  const pause = { imageId: 'sha256:aa', names: ['docker.io/rancher/mirrored-pause:3.6'], manifestDigest: 'sha256:11' };
  const unused = { imageId: 'sha256:bb', names: ['docker.io/library/unused:1'], manifestDigest: 'sha256:22' };
  const made = ['docker.io/rancher/mirrored-pause:3.6', 'sha256:aa', 'docker.io/library/gone:1'].map((image, index) => ({ containerId: `containerd://${index}`, image }));
  assert.deepEqual(imagesThatRan(made, [pause, unused]), [
    { ...pause, containers: 2 },
    { imageId: 'docker.io/library/gone:1', names: ['docker.io/library/gone:1'], manifestDigest: null, containers: 1 },
  ]);
});
