import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { connectToDocker } from '../substrate/k3s/docker-connection.ts';
import { buildImage } from './build-image.ts';
import { bundleComponent } from './bundle.ts';
import { COMPONENTS } from './components.ts';
import { readEngineMessages } from './engine-messages.ts';
import { digestContext, prepareContext } from './image-context.ts';
import { PINNED_BASE_IMAGE } from '../../evidence/pins.ts';
import { NODE_IMAGE_VARIABLE } from './pins.ts';
import { resolveImage } from './resolve-image.ts';
import { readSourceFiles } from './source-files.ts';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../../', import.meta.url));
const signal = AbortSignal.timeout(600_000);

/** A checkout with the real Dockerfiles and one small program for each entry point. */
async function makeCheckout(context: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'ql3-images-'));
  context.after(() => rm(directory, { recursive: true }));
  const put = async (path: string, text: string) => {
    await mkdir(join(directory, dirname(path)), { recursive: true });
    await writeFile(join(directory, path), text);
  };
  for (const { folder, entries } of Object.values(COMPONENTS)) {
    for (const entry of entries) await put(`${folder}/src/${entry}.ts`, `import { name } from './name.ts';\nconsole.log(JSON.stringify({ name, entry: '${entry}', uid: process.getuid?.() }));\n`);
    await put(`${folder}/src/name.ts`, `export const name: string = '${folder}';\n`);
    await copyFile(join(repository, folder, 'Dockerfile'), join(directory, folder, 'Dockerfile'));
  }
  await put('images/postgres/migrations/0001.sql', 'SELECT 1;\n');
  await put('pnpm-lock.yaml', 'lockfileVersion: 9\n');
  await put('.gitignore', 'ignored.ts\n');
  await run('git', ['init', '-q'], { cwd: directory });
  await run('git', ['add', '.'], { cwd: directory });
  return directory;
}

test('the same source gives the same bundle and the same context, byte for byte', async (context) => {
  const directory = await makeCheckout(context);
  const files = await readSourceFiles(directory, signal);
  const make = async (name: string) => {
    const bundle = await bundleComponent('admin', { directory, files }, join(directory, '..', `${name}-${randomUUID()}`));
    context.after(() => rm(bundle.rootDirectory, { recursive: true }));
    const image = await prepareContext(bundle.rootDirectory, join(directory, 'images/cluster-admin/Dockerfile'));
    return { contentId: bundle.contentId, digest: await digestContext(image), files: image.files };
  };
  const [one, two] = await Promise.all([make('one'), make('another')]);
  assert.deepEqual(one, two);
  assert.deepEqual(one.files, ['Dockerfile', 'app/database.mjs', 'app/executor.mjs', 'app/manage.mjs', 'app/migrations/0001.sql', 'app/recovery.mjs', 'app/start.mjs', 'app/target.mjs']);
});

test('whoever builds with a private umask makes an image that its own user can read', async (context) => {
  const directory = await makeCheckout(context);
  const files = await readSourceFiles(directory, signal);
  const before = process.umask(0o077);
  try {
    const bundle = await bundleComponent('admin', { directory, files }, join(directory, 'out'));
    const image = await prepareContext(bundle.rootDirectory, join(directory, 'images/cluster-admin/Dockerfile'));
    for (const file of ['app', 'app/migrations', ...image.files]) {
      assert.equal((await stat(join(image.directory, file))).mode & 0o044, 0o044, file);
    }
  } finally {
    process.umask(before);
  }
});

test('the tree digest follows the source, and an ignored file can neither change it nor slip into an image', async (context) => {
  const directory = await makeCheckout(context);
  const before = await readSourceFiles(directory, signal);
  await writeFile(join(directory, 'images/worker/src/ignored.ts'), "export const name = 'stray';\n");
  assert.equal((await readSourceFiles(directory, signal)).treeDigest, before.treeDigest);
  await writeFile(join(directory, 'images/worker/src/actor.ts'), "import { name } from './ignored.ts';\nconsole.log(name);\n");
  const files = await readSourceFiles(directory, signal);
  assert.notEqual(files.treeDigest, before.treeDigest);
  await assert.rejects(bundleComponent('worker', { directory, files }, join(directory, 'out')), { code: 'IMAGE_BUNDLE_FAILED', message: /ignored\.ts went into an image/ });
});

test('a bundle that does not build says which file and why', async (context) => {
  const directory = await makeCheckout(context);
  await writeFile(join(directory, 'images/worker/src/actor.ts'), "import './missing.ts';\n");
  const files = await readSourceFiles(directory, signal);
  await assert.rejects(bundleComponent('worker', { directory, files }, join(directory, 'out')), { code: 'IMAGE_BUNDLE_FAILED', message: /missing\.ts/ });
});

test('an error inside a 200 answer of the Engine is an error, and so is a line that is no JSON', async () => {
  const read = (text: string) => readEngineMessages(Readable.from([text]), signal);
  assert.equal((await read('{"stream":"Step 1"}\n')).failure, undefined);
  assert.equal((await read('{"stream":"Step 1"}\n{"errorDetail":{"message":"no space"},"error":"no space"}\n')).failure, 'no space');
  assert.match((await read('{"stream":"Ste')).failure ?? '', /no JSON/);
});

const connection = await connectToDocker().catch((error: Error) => error);
const skip = connection instanceof Error ? connection.message : false;

test('an image runs as its own user, without a shell, and carries its revision', { skip }, async (context) => {
  assert.ok(!(connection instanceof Error));
  const { docker } = connection;
  const base = await resolveImage(docker, PINNED_BASE_IMAGE, { override: process.env[NODE_IMAGE_VARIABLE], pull: 'never', signal }).catch((error: Error) => error);
  if (base instanceof Error) return context.skip(`no base image here: ${base.message}`);
  const directory = await makeCheckout(context);
  const files = await readSourceFiles(directory, signal);
  const revision = 'c'.repeat(40);
  for (const [component, uid] of [['worker', 65532], ['control', 65532], ['admin', 10001]] as const) {
    const bundle = await bundleComponent(component, { directory, files }, join(directory, 'out', component));
    const tag = `${COMPONENTS[component].repository}:test-${randomUUID()}`;
    context.after(() => docker.getImage(tag).remove({ force: true }));
    const image = await prepareContext(bundle.rootDirectory, join(directory, COMPONENTS[component].folder, 'Dockerfile'));
    const built = await buildImage(docker, { component, context: image, base, tag, revision, version: '0.0.0', labels: { 'io.qinglong.live.test': 'images' } }, signal);
    const { Config } = await docker.getImage(built.id).inspect();
    assert.equal(Config.Labels['org.opencontainers.image.revision'], revision);
    assert.equal(Config.Labels['io.qinglong.live.test'], 'images');
    const { stdout } = await run('docker', ['run', '--rm', '--read-only', '--network=none', tag]);
    assert.deepEqual(JSON.parse(stdout), { name: COMPONENTS[component].folder, entry: COMPONENTS[component].entries[0], uid });
  }
});

test('a build that fails says why, and leaves nothing', { skip }, async (context) => {
  assert.ok(!(connection instanceof Error));
  const { docker } = connection;
  const override = process.env[NODE_IMAGE_VARIABLE];
  const base = await resolveImage(docker, PINNED_BASE_IMAGE, { override, pull: 'never', signal }).catch((error: Error) => error);
  if (base instanceof Error) return context.skip(`no base image here: ${base.message}`);
  // known by its label: others build and remove images in the same Engine meanwhile
  const id = randomUUID();
  const directory = await mkdtemp(join(tmpdir(), 'ql3-images-'));
  context.after(() => rm(directory, { recursive: true }));
  await writeFile(join(directory, 'Dockerfile'), 'ARG NODE_IMAGE\nFROM ${NODE_IMAGE}\nLABEL io.qinglong.live.test=' + id + '\nCOPY absent /absent\n');
  const request = { component: 'worker', context: { directory, files: ['Dockerfile'] }, base, tag: `ql3-failing:${id}`, revision: 'c'.repeat(40), version: '0.0.0', labels: {} } as const;
  await assert.rejects(buildImage(docker, request, signal), { code: 'IMAGE_BUILD_FAILED', message: /absent/ });
  assert.deepEqual(await docker.listImages({ all: true, filters: JSON.stringify({ label: [`io.qinglong.live.test=${id}`] }) }), []);
});

test('an image that is not there is not fetched when that is forbidden, and a wrong digest is not taken for the pin', { skip }, async () => {
  assert.ok(!(connection instanceof Error));
  const absent = { name: 'ql3-absent:1', digest: `sha256:${'0'.repeat(64)}` };
  await assert.rejects(resolveImage(connection.docker, absent, { override: undefined, pull: 'never', signal }), { code: 'IMAGE_NOT_FOUND' });
});

test('the Dockerfiles name the pinned base', async () => {
  for (const { folder } of Object.values(COMPONENTS)) {
    assert.match(await readFile(join(repository, folder, 'Dockerfile'), 'utf8'), new RegExp(`^ARG NODE_IMAGE=${PINNED_BASE_IMAGE.name.replaceAll('.', '\\.')}$`, 'm'));
  }
});
