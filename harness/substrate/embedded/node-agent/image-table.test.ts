import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ImageTable, type NodeImage } from './image-table.ts';

const image: NodeImage = { rootDirectory: '/nowhere', entrypoint: ['node'], env: {}, imageId: 'sha256:1' };

describe('the image table', () => {
  it('knows one image under all names that a container runtime takes for the same', () => {
    const table = new ImageTable('/nowhere');
    table.register({ 'app:1': image, 'registry.local/team/app@sha256:abc': image, plain: image });
    for (const name of ['app:1', 'docker.io/library/app:1', 'registry.local/team/app@sha256:abc', 'plain', 'plain:latest']) {
      assert.equal(table.find(name), image, name);
    }
    for (const name of ['app', 'app:2', 'team/app:1', 'localhost/app:1']) assert.equal(table.find(name), undefined, name);
  });

  it('tells who waits for an image that one has come', async () => {
    const table = new ImageTable('/nowhere');
    const changed = table.changed();
    table.register({ 'late:1': image });
    await changed;
    assert.equal(table.find('late:1'), image);
  });
});
