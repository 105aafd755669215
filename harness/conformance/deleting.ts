import type { V1ConfigMap, V1ConfigMapList, V1OwnerReference } from '@kubernetes/client-node';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Status } from './api-connection.ts';
import type { ClusterUnderTest } from './cluster-under-test.ts';
import { WatchStream } from './watch-stream.ts';

export function checkDeleting(cluster: ClusterUnderTest): void {
  const { api } = cluster;
  const configMap = (name: string, metadata: object = {}) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata } });
  const ownerOf = ({ metadata }: V1ConfigMap, extra: Partial<V1OwnerReference> = {}): V1OwnerReference => ({ apiVersion: 'v1', kind: 'ConfigMap', name: metadata?.name ?? '', uid: metadata?.uid ?? '', ...extra });

  test('a delete answers with what was deleted, and the next one with 404', async (context) => {
    const path = `/api/v1/namespaces/${await cluster.makeNamespace(context)}/configmaps`;
    const { body: created } = await api.create<V1ConfigMap>(path, configMap('a'));
    const deleted = await api.delete<Status>(`${path}/a`);
    assert.deepEqual([deleted.status, deleted.body.kind, deleted.body.status, deleted.body.details?.name, deleted.body.details?.uid], [200, 'Status', 'Success', 'a', created.metadata?.uid]);
    assert.equal((await api.delete(`${path}/a`)).status, 404);
  });

  test('preconditions on uid and resourceVersion are kept', async (context) => {
    const path = `/api/v1/namespaces/${await cluster.makeNamespace(context)}/configmaps`;
    const { body: created } = await api.create<V1ConfigMap>(path, configMap('a'));
    await api.patch(`${path}/a`, { data: { x: '1' } });
    const remove = (preconditions: object) => api.delete<Status>(`${path}/a`, { apiVersion: 'v1', kind: 'DeleteOptions', preconditions });
    const foreign = await remove({ uid: '00000000-0000-4000-8000-000000000000' });
    assert.deepEqual([foreign.status, foreign.body.reason], [409, 'Conflict']);
    assert.match(foreign.body.message ?? '', /the UID in the precondition \(00000000-0000-4000-8000-000000000000\) does not match the UID in record/);
    const stale = await remove({ uid: created.metadata?.uid, resourceVersion: created.metadata?.resourceVersion });
    assert.deepEqual([stale.status, stale.body.reason], [409, 'Conflict']);
    assert.equal((await remove({ uid: created.metadata?.uid })).status, 200);
  });

  test('an object with a finalizer stays, marked, until the finalizer is taken off', async (context) => {
    const path = `/api/v1/namespaces/${await cluster.makeNamespace(context)}/configmaps`;
    await api.create(path, configMap('a', { finalizers: ['example.invalid/hold'] }));
    const first = await api.delete<V1ConfigMap>(`${path}/a`);
    assert.deepEqual([first.status, first.body.kind], [200, 'ConfigMap']);
    const marked = (await api.get<V1ConfigMap>(`${path}/a`)).body;
    assert.ok(marked.metadata?.deletionTimestamp);
    using watch = await WatchStream.open(api, path, { fieldSelector: 'metadata.name=a' });
    await api.patch(`${path}/a`, { metadata: { finalizers: null } });
    await watch.untilDeleted('a');
    assert.equal((await api.get(`${path}/a`)).status, 404);
  });

  test('a collection is deleted by selector', async (context) => {
    const path = `/api/v1/namespaces/${await cluster.makeNamespace(context)}/configmaps`;
    for (const [name, app] of [['a', 'x'], ['b', 'x'], ['c', 'y']]) await api.create(path, configMap(name ?? '', { labels: { app } }));
    assert.equal((await api.delete(path, undefined, { labelSelector: 'app=x' })).status, 200);
    const left = (await api.get<V1ConfigMapList>(path, { labelSelector: 'app' })).body.items.map(({ metadata }) => metadata?.name);
    assert.deepEqual(left, ['c']);
  });

  test('dependents go after their owner in the background, and stay as orphans when asked', async (context) => {
    const path = `/api/v1/namespaces/${await cluster.makeNamespace(context)}/configmaps`;
    const { body: owner } = await api.create<V1ConfigMap>(path, configMap('owner'));
    await api.create(path, configMap('dependent', { ownerReferences: [ownerOf(owner)] }));
    const { body: parent } = await api.create<V1ConfigMap>(path, configMap('parent'));
    await api.create(path, configMap('orphan', { ownerReferences: [ownerOf(parent)] }));
    using watch = await WatchStream.open<V1ConfigMap>(api, path);
    await api.delete(`${path}/owner`, undefined, { propagationPolicy: 'Background' });
    await watch.untilDeleted('dependent');
    await api.delete(`${path}/parent`, undefined, { propagationPolicy: 'Orphan' });
    await watch.untilDeleted('parent');
    const orphan = await watch.untilObject('an orphan without owner', ({ metadata }) => metadata?.name === 'orphan' && (metadata.ownerReferences ?? []).length === 0);
    assert.equal(orphan.metadata?.deletionTimestamp, undefined);
  });

  test('in the foreground the owner goes last', async (context) => {
    const path = `/api/v1/namespaces/${await cluster.makeNamespace(context)}/configmaps`;
    const { body: owner } = await api.create<V1ConfigMap>(path, configMap('owner'));
    await api.create(path, configMap('dependent', { ownerReferences: [ownerOf(owner, { blockOwnerDeletion: true })], finalizers: ['example.invalid/hold'] }));
    using watch = await WatchStream.open<V1ConfigMap>(api, path);
    await api.delete(`${path}/owner`, undefined, { propagationPolicy: 'Foreground' });
    await watch.untilObject('a dependent that is being deleted', ({ metadata }) => metadata?.name === 'dependent' && metadata.deletionTimestamp !== undefined);
    assert.deepEqual((await api.get<V1ConfigMap>(`${path}/owner`)).body.metadata?.finalizers, ['foregroundDeletion']);
    await api.patch(`${path}/dependent`, { metadata: { finalizers: null } });
    await watch.untilDeleted('owner');
    const order = watch.events.filter(({ type }) => type === 'DELETED').map(({ object }) => object.metadata?.name);
    assert.deepEqual(order, ['dependent', 'owner']);
  });

  test('a dependent whose owner was never there is collected', async (context) => {
    const path = `/api/v1/namespaces/${await cluster.makeNamespace(context)}/configmaps`;
    using watch = await WatchStream.open(api, path);
    await api.create(path, configMap('lost', { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'nobody', uid: '00000000-0000-4000-8000-000000000001' }] }));
    await watch.untilDeleted('lost');
  });

  test('a Namespace takes everything in it along, and takes nothing new in meanwhile', async (context) => {
    const name = await cluster.makeNamespace(context);
    const path = `/api/v1/namespaces/${name}/configmaps`;
    await api.create(path, configMap('held', { finalizers: ['example.invalid/hold'] }));
    await api.create(path, configMap('a'));
    using watch = await WatchStream.open(api, '/api/v1/namespaces', { fieldSelector: `metadata.name=${name}` });
    using inside = await WatchStream.open(api, path);
    await api.delete(`/api/v1/namespaces/${name}`);
    await inside.untilDeleted('a');
    const refused = await api.create<Status>(path, configMap('b'));
    assert.deepEqual([refused.status, refused.body.reason], [403, 'Forbidden']);
    assert.match(refused.body.message ?? '', new RegExp(`because it is being terminated`));
    await api.patch(`${path}/held`, { metadata: { finalizers: null } });
    await watch.untilDeleted(name);
  });
}
