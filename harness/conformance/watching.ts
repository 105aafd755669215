import type { V1ConfigMap, V1ConfigMapList } from '@kubernetes/client-node';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Status } from './api-connection.ts';
import type { ClusterUnderTest } from './cluster-under-test.ts';
import { WatchStream } from './watch-stream.ts';

export function checkWatching(cluster: ClusterUnderTest): void {
  const { api } = cluster;
  const configMap = (name: string, labels: Record<string, string> = {}) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels } });

  test('a watch from a list on delivers every later change once, in order', async (context) => {
    const path = `/api/v1/namespaces/${await cluster.makeNamespace(context)}/configmaps`;
    await api.create(path, configMap('before'));
    const { body: list } = await api.get<V1ConfigMapList>(path);
    await api.create(path, configMap('a'));
    await api.patch(`${path}/a`, { data: { x: '1' } });
    using watch = await WatchStream.open<V1ConfigMap>(api, path, { resourceVersion: list.metadata?.resourceVersion ?? '', fieldSelector: 'metadata.name=a' });
    await api.delete(`${path}/a`);
    await watch.untilDeleted('a');
    assert.deepEqual(watch.events.map(({ type, object }) => [type, object.metadata?.name]), [['ADDED', 'a'], ['MODIFIED', 'a'], ['DELETED', 'a']]);
    const versions = watch.events.map(({ object }) => Number(object.metadata?.resourceVersion));
    assert.ok(versions.every((version, index) => index === 0 || version > (versions[index - 1] ?? 0)), `resourceVersions rise: ${versions.join()}`);
  });

  test('a watch without a resourceVersion begins with what is there', async (context) => {
    const path = `/api/v1/namespaces/${await cluster.makeNamespace(context)}/configmaps`;
    await api.create(path, configMap('a'));
    await api.patch(`${path}/a`, { data: { x: '1' } });
    using watch = await WatchStream.open<V1ConfigMap>(api, path, { fieldSelector: 'metadata.name=a' });
    // A server answers from its cache, which may still lack the patch: that comes later then, and nothing older after it.
    await watch.untilObject('a, patched', ({ data }) => data?.x === '1');
    assert.deepEqual(watch.events.map(({ type }) => type), ['ADDED', 'MODIFIED'].slice(0, watch.events.length));
  });

  test('an object that leaves the selector is gone for the watch, and comes back as new', async (context) => {
    const path = `/api/v1/namespaces/${await cluster.makeNamespace(context)}/configmaps`;
    await api.create(path, configMap('a', { app: 'x' }));
    using watch = await WatchStream.open<V1ConfigMap>(api, path, { labelSelector: 'app=x' });
    await watch.untilObject('a', () => true);
    await api.patch(`${path}/a`, { metadata: { labels: { app: 'y' } } });
    await watch.untilDeleted('a');
    await api.patch(`${path}/a`, { metadata: { labels: { app: 'x' } } });
    await watch.until('a second ADDED', (events) => (events.filter(({ type }) => type === 'ADDED').length === 2 ? true : undefined));
    assert.deepEqual(watch.events.map(({ type }) => type), ['ADDED', 'DELETED', 'ADDED']);
  });

  test('timeoutSeconds ends a watch', async (context) => {
    const path = `/api/v1/namespaces/${await cluster.makeNamespace(context)}/configmaps`;
    using watch = await WatchStream.open(api, path, { timeoutSeconds: 1 });
    await watch.untilEnd();
  });

  test('a watch from a resourceVersion that is long gone is 410 Expired, or loses nothing', async (context) => {
    const path = `/api/v1/namespaces/${await cluster.makeNamespace(context)}/configmaps`;
    await api.create(path, configMap('a'));
    using watch = await WatchStream.open<Partial<Status> & V1ConfigMap>(api, path, { resourceVersion: 1, fieldSelector: 'metadata.name=a' });
    const event = await watch.until('an event', (events) => events[0]);
    if (event.type === 'ERROR') assert.deepEqual([event.object.code, event.object.reason], [410, 'Expired']);
    else assert.deepEqual([event.type, event.object.metadata?.name], ['ADDED', 'a']);
  });

  test('a single object is watched by its name, until it is gone', async (context) => {
    const path = `/api/v1/namespaces/${await cluster.makeNamespace(context)}/secrets`;
    await api.create(path, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'one' } });
    await api.create(path, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'two' } });
    using watch = await WatchStream.open(api, path, { fieldSelector: 'metadata.name=one' });
    await watch.untilObject('one', ({ metadata }) => metadata?.name === 'one');
    await api.delete(`${path}/two`);
    await api.delete(`${path}/one`);
    await watch.untilDeleted('one');
    assert.ok(watch.events.every(({ object }) => object.metadata?.name === 'one'));
  });
}
