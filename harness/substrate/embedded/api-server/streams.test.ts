import assert from 'node:assert/strict';
import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { after, before, test } from 'node:test';
import { CoreV1Api, Exec, Log, makeInformer, Watch, type V1ConfigMap } from '@kubernetes/client-node';
import type { WatchEvent } from './in-process-api.ts';
import { startTestServer } from './test-client.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const TYPE = { group: '', version: 'v1', plural: 'configmaps' };
const PODS = { group: '', version: 'v1', plural: 'pods' };

let running: Awaited<ReturnType<typeof startTestServer>>;
before(async () => {
  running = await startTestServer();
});
after(async () => running[Symbol.asyncDispose]());

/** Collects the events of a watch, and lets a test wait for as many as it expects. */
async function collect(query: Record<string, string | number | boolean | undefined>, count: number, act: () => Promise<unknown>): Promise<{ type: string; name: string; object: unknown }[]> {
  const seen: { type: string; name: string; object: unknown }[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const request = await new Watch(running.admin.config).watch(
    CONFIG_MAPS,
    query,
    (type, object: { metadata?: { name?: string } }) => {
      seen.push({ type, name: object.metadata?.name ?? '', object });
      if (seen.length === count) resolve();
    },
    (error: unknown) => {
      if (error !== null && seen.length < count) reject(error);
      else resolve();
    },
  );
  await act();
  await promise;
  request.abort();
  return seen;
}

test('a watch tells what happens after its resourceVersion, as its selector sees it', async () => {
  const session = running.server.api.as('writer');
  const { resourceVersion } = await session.list(TYPE, 'default');
  const seen = await collect({ resourceVersion, labelSelector: 'seen=yes' }, 3, async () => {
    await session.create(TYPE, 'default', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'w', labels: { seen: 'no' } } });
    await session.mergePatch(TYPE, 'default', 'w', { metadata: { labels: { seen: 'yes' } } });
    await session.mergePatch(TYPE, 'default', 'w', { data: { a: 'b' } });
    await session.mergePatch(TYPE, 'default', 'w', { metadata: { labels: { seen: 'no' } } });
  });
  assert.deepEqual(seen.map(({ type }) => type), ['ADDED', 'MODIFIED', 'DELETED']);
});

test('initial events end with a bookmark that says so', async () => {
  const seen = await collect({ sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: true, fieldSelector: 'metadata.name=w' }, 2, async () => {});
  assert.deepEqual(seen.map(({ type }) => type), ['ADDED', 'BOOKMARK']);
  assert.equal((seen[1]?.object as { metadata: { annotations: Record<string, string> } } | undefined)?.metadata.annotations['k8s.io/initial-events-end'], 'true');
});

test('an informer of the official client keeps up', async () => {
  const core = running.admin.config.makeApiClient(CoreV1Api);
  const informer = makeInformer<V1ConfigMap>(running.admin.config, CONFIG_MAPS, async () => core.listNamespacedConfigMap({ namespace: 'default' }));
  const { promise, resolve } = Promise.withResolvers<V1ConfigMap>();
  informer.on('update', (object) => resolve(object));
  await informer.start();
  await core.patchNamespacedConfigMap({ name: 'w', namespace: 'default', body: [{ op: 'add', path: '/data', value: { fresh: '1' } }] });
  assert.deepEqual((await promise).data, { fresh: '1' });
  await informer.stop();
});

test('an in-process watch starts with what exists, and ends when disposed', async () => {
  const session = running.server.api.as('watcher');
  const seen: WatchEvent[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  {
    using _watch = session.watch(TYPE, 'default', (event) => {
      seen.push(event);
      if (event.type === 'DELETED') resolve();
    }, { fieldSelector: 'metadata.name=w' });
    await session.delete(TYPE, 'default', 'w');
    await promise;
  }
  await session.create(TYPE, 'default', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'w' } });
  assert.deepEqual(seen.map(({ type }) => type), ['ADDED', 'DELETED']);
});

test('logs and commands reach the node agent', async () => {
  running.server.setNodeBackend({
    openLog: async (_pod, { container, follow, tailLines }) => Readable.from([`${container} ${follow} ${tailLines}\n`]),
    exec: async (_pod, { command, stdin }) => ({ stdout: stdin ?? Readable.from([command.join(' ')]), stderr: Readable.from([]), exitCode: Promise.resolve(3) }),
  });
  const session = running.server.api.as('scheduler');
  await session.create(PODS, 'default', { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } });
  await session.createSubresource(PODS, 'default', 'p', 'binding', { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'p' }, target: { kind: 'Node', name: 'n' } });
  const log = new PassThrough();
  await new Log(running.admin.config).log('default', 'p', 'c', log, { follow: true, tailLines: 5 });
  assert.equal(String(await log.toArray()), 'c true 5\n');

  const stdout = new PassThrough();
  const status = Promise.withResolvers<{ reason?: string }>();
  await new Exec(running.admin.config).exec('default', 'p', 'c', ['echo', 'hello'], stdout, null, null, false, (answer) => status.resolve(answer));
  const [first] = (await once(stdout, 'data')) as [Buffer];
  assert.equal(first.toString(), 'echo hello');
  assert.equal((await status.promise).reason, 'NonZeroExitCode');
});

test('a resourceVersion that is forgotten is 410 Gone', async () => {
  const session = running.server.api.as('writer');
  const { resourceVersion } = await session.list(TYPE, 'default');
  const { ObjectStore } = await import('./storage/object-store.ts');
  const store = new ObjectStore(4);
  for (let turn = 0; turn < 20; turn++) store.put('/configmaps', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', namespace: 'default' }, data: { turn: String(turn) } });
  assert.equal(store.changesAfter('/configmaps', 2), null);
  assert.equal(store.listAt('/configmaps', null, 2), null);
  assert.equal(store.listAt('/configmaps', 'default', store.revision - 1)?.[0]?.['data'] !== undefined, true);
  const future = await running.admin.send('GET', `${CONFIG_MAPS}?watch=1&resourceVersion=${Number(resourceVersion) + 1000}`);
  assert.equal(future.code, 504);
});
