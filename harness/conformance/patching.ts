import type { V1ConfigMap, V1Deployment } from '@kubernetes/client-node';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Status } from './api-connection.ts';
import type { ClusterUnderTest } from './cluster-under-test.ts';
import { pausedDeployment } from './sample-objects.ts';

export function checkPatching(cluster: ClusterUnderTest): void {
  const { api } = cluster;

  test('a merge patch sets, replaces lists as a whole and removes with null', async (context) => {
    const path = `/api/v1/namespaces/${await cluster.makeNamespace(context)}/configmaps`;
    await api.create(path, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', labels: { x: '1', y: '2' } }, data: { x: '1' } });
    const { status, body } = await api.patch<V1ConfigMap>(`${path}/a`, { metadata: { labels: { x: null, z: '3' } }, data: { y: '2' } });
    assert.deepEqual([status, body.metadata?.labels, body.data], [200, { y: '2', z: '3' }, { x: '1', y: '2' }]);
    assert.equal((await api.patch<Status>(`${path}/absent`, { data: {} })).status, 404);
  });

  test('a JSON patch is applied as a whole or not at all', async (context) => {
    const path = `/api/v1/namespaces/${await cluster.makeNamespace(context)}/configmaps`;
    await api.create(path, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { x: '1' } });
    const failed = await api.patch<Status>(`${path}/a`, [{ op: 'add', path: '/data/y', value: '2' }, { op: 'test', path: '/data/x', value: '9' }], 'json');
    assert.deepEqual([failed.status, failed.body.reason], [422, 'Invalid']);
    const { status, body } = await api.patch<V1ConfigMap>(`${path}/a`, [
      { op: 'test', path: '/data/x', value: '1' },
      { op: 'add', path: '/data/y', value: '2' },
      { op: 'remove', path: '/data/x' },
      { op: 'add', path: '/metadata/annotations', value: { 'example.invalid/a': 'b' } },
      { op: 'replace', path: '/metadata/annotations/example.invalid~1a', value: 'c' },
    ], 'json');
    assert.deepEqual([status, body.data, body.metadata?.annotations], [200, { y: '2' }, { 'example.invalid/a': 'c' }]);
  });

  test('a strategic merge patch merges containers and variables by name', async (context) => {
    const path = `/apis/apps/v1/namespaces/${await cluster.makeNamespace(context)}/deployments`;
    const deployment = pausedDeployment('a');
    (deployment.spec?.template.spec?.containers ?? [])[0]!.env = [{ name: 'A', value: '1' }, { name: 'B', value: '2' }];
    await api.create(path, deployment);
    const patch = { spec: { template: { spec: { containers: [{ name: 'main', env: [{ name: 'B', value: '3' }, { name: 'A', $patch: 'delete' }] }, { name: 'side', image: 'example.invalid/side:1' }] } } } };
    const { status, body } = await api.patch<V1Deployment>(`${path}/a`, patch, 'strategic-merge');
    assert.equal(status, 200);
    const containers = body.spec?.template.spec?.containers ?? [];
    assert.deepEqual(containers.map(({ name }) => name).sort(), ['main', 'side']);
    const main = containers.find(({ name }) => name === 'main');
    assert.deepEqual([main?.image, main?.env], ['example.invalid/none:1', [{ name: 'B', value: '3' }]]);
  });

  test('a patch that carries an old resourceVersion conflicts', async (context) => {
    const path = `/api/v1/namespaces/${await cluster.makeNamespace(context)}/configmaps`;
    const { body: created } = await api.create<V1ConfigMap>(path, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } });
    await api.patch(`${path}/a`, { data: { x: '1' } });
    const stale = await api.patch<Status>(`${path}/a`, { metadata: { resourceVersion: created.metadata?.resourceVersion }, data: { x: '2' } });
    assert.deepEqual([stale.status, stale.body.reason], [409, 'Conflict']);
  });

  test('a patch of an unknown kind is 415', async (context) => {
    const path = `/api/v1/namespaces/${await cluster.makeNamespace(context)}/configmaps`;
    await api.create(path, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } });
    const answer = await api.send<Status>('PATCH', `${path}/a`, { body: {}, contentType: 'application/json' });
    assert.deepEqual([answer.status, answer.body.reason], [415, 'UnsupportedMediaType']);
  });

  test('server-side apply creates, keeps what others own, and conflicts where both own', async (context) => {
    const path = `/api/v1/namespaces/${await cluster.makeNamespace(context)}/configmaps/a`;
    const apply = <Body = V1ConfigMap>(fieldManager: string, data: Record<string, string>, force = false) =>
      api.send<Body>('PATCH', path, { contentType: 'application/apply-patch+yaml', body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data }, query: { fieldManager, ...(force ? { force } : {}) } });
    assert.equal((await apply('one', { x: '1', y: '1' })).status, 201);
    const shared = await apply('two', { z: '2' });
    assert.deepEqual([shared.status, shared.body.data], [200, { x: '1', y: '1', z: '2' }]);
    assert.deepEqual((await apply('one', { x: '1' })).body.data, { x: '1', z: '2' });
    const conflict = await apply<Status>('two', { x: '9', z: '2' });
    assert.deepEqual([conflict.status, conflict.body.reason], [409, 'Conflict']);
    assert.match(conflict.body.message ?? '', /^Apply failed with 1 conflict: conflict with "one"/);
    assert.deepEqual((await apply('two', { x: '9', z: '2' }, true)).body.data, { x: '9', z: '2' });
    const nameless = await api.send<Status>('PATCH', path, { contentType: 'application/apply-patch+yaml', body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } } });
    assert.equal(nameless.status, 422);
  });
}
