import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PullProgress } from './pull-progress.ts';

test('a pull is told over all of its layers', () => {
  const progress = new PullProgress();
  const [one, other] = ['a1b2c3d4e5f6', 'f6e5d4c3b2a1'];
  assert.equal(progress.hear({ id: '18.4-bookworm', status: 'Pulling from library/postgres' }), 'Pulling from library/postgres');
  for (const id of [one, other]) progress.hear({ id, status: 'Pulling fs layer', progressDetail: {} });
  assert.equal(progress.hear({ id: one, status: 'Downloading', progressDetail: { current: 5 * 1024 * 1024, total: 20 * 1024 * 1024 } }), '0 of 2 layers, 5.0 of 20.0 MiB');
  assert.equal(progress.hear({ id: other, status: 'Already exists', progressDetail: {} }), '1 of 2 layers, 5.0 of 20.0 MiB');
  progress.hear({ id: one, status: 'Download complete', progressDetail: {} });
  // what is unpacked counts its own bytes, from nothing again
  assert.equal(progress.hear({ id: one, status: 'Extracting', progressDetail: { current: 1024, total: 20 * 1024 * 1024 } }), '1 of 2 layers, 20.0 of 20.0 MiB');
  assert.equal(progress.hear({ id: one, status: 'Pull complete', progressDetail: {} }), '2 of 2 layers, 20.0 of 20.0 MiB');
});
