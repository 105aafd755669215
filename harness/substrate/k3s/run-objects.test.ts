import type Docker from 'dockerode';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { connectToDocker } from './docker-connection.ts';
import { isOwnerDead, labelsOfRun } from './run-labels.ts';
import { listRunObjects, removeRun } from './run-objects.ts';

const connection = await connectToDocker().catch((error: Error) => error);
const skip = connection instanceof Error ? connection.message : false;

/** The labels that a run of another process made, and that process's end. */
async function labelsOfAnother(runId: string): Promise<{ labels: Record<string, string>; kill(): Promise<void> }> {
  const program = `import { labelsOfRun } from ${JSON.stringify(import.meta.resolve('./run-labels.ts'))}; console.log(JSON.stringify(labelsOfRun(${JSON.stringify(runId)}))); setInterval(() => {}, 1 << 30);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const kill = async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  return { labels: JSON.parse(line) as Record<string, string>, kill };
}

test('an owner is dead only when that is certain', async () => {
  const own = labelsOfRun(randomUUID());
  assert.equal(isOwnerDead(own), false);
  assert.equal(isOwnerDead({}), false);
  assert.equal(isOwnerDead({ ...own, 'io.qinglong.live.owner-start': '1' }), true, 'another process with the same pid');
  const other = await labelsOfAnother(randomUUID());
  assert.equal(isOwnerDead(other.labels), false);
  await other.kill();
  assert.equal(isOwnerDead(other.labels), true);
});

test('a run is removed as a whole, and its end is proven', { skip }, async () => {
  assert.ok(!(connection instanceof Error));
  const { docker } = connection;
  const runId = randomUUID();
  await Promise.all([docker.createNetwork({ Name: `ql3-test-${runId}`, Labels: { ...labelsOfRun(runId) } }), docker.createVolume({ Name: `ql3-test-${runId}`, Labels: { ...labelsOfRun(runId) } })]);
  assert.deepEqual((await listRunObjects(docker, runId)).map(({ kind }) => kind), ['network', 'volume']);
  await removeRun(docker, runId);
  assert.deepEqual(await listRunObjects(docker, runId), []);
});

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
