import type Docker from 'dockerode';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listRunObjects } from './run-objects.ts';

/** Of images made in one second a real Engine lists now the one first and now the other, which cannot be provoked. */
class FickleEngine implements Pick<Docker, 'listContainers' | 'listNetworks' | 'listVolumes' | 'listImages'> {
  readonly #isReversed: boolean;

  constructor(isReversed: boolean) {
    this.#isReversed = isReversed;
  }

  readonly listContainers = (() => this.#told(['a', 'b'].map((name) => ({ Id: name, Names: [`/${name}`], Labels: {} })))) as unknown as Docker['listContainers'];
  readonly listNetworks = (() => this.#told([{ Id: 'n', Name: 'n', Labels: {} }])) as unknown as Docker['listNetworks'];
  readonly listVolumes = (() => this.#told(['v', 'w'].map((name) => ({ Name: name, Labels: {} }))).then((Volumes) => ({ Volumes, Warnings: [] }))) as unknown as Docker['listVolumes'];
  readonly listImages = (() => this.#told(['x:1', 'y:1', 'z:1'].map((tag) => ({ Id: tag, RepoTags: [tag], Labels: {} })))) as unknown as Docker['listImages'];

  async #told<T>(objects: T[]): Promise<T[]> {
    return await Promise.resolve(this.#isReversed ? objects.toReversed() : objects);
  }
}

test('what a run has made is listed in one order, however the Engine lists it: containers first, which hold the rest', async () => {
  const listed = async (isReversed: boolean) => (await listRunObjects(new FickleEngine(isReversed) as unknown as Docker)).map(({ kind, name }) => `${kind} ${name}`);
  const expected = ['container a', 'container b', 'network n', 'volume v', 'volume w', 'image x:1', 'image y:1', 'image z:1'];
  assert.deepEqual([await listed(false), await listed(true)], [expected, expected]);
});
