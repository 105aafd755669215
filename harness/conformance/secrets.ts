import type { V1ConfigMap, V1Secret } from '@kubernetes/client-node';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Status } from './api-connection.ts';
import type { ClusterUnderTest } from './cluster-under-test.ts';

export function checkSecrets(cluster: ClusterUnderTest): void {
  const { api } = cluster;
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const secret = (name: string, more: object = {}) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name }, ...more });

  test('stringData is written into data and never read back; the type defaults to Opaque', async (context) => {
    const path = `/api/v1/namespaces/${await cluster.makeNamespace(context)}/secrets`;
    const { body } = await api.create<V1Secret>(path, secret('a', { data: { x: base64('1') }, stringData: { y: '2' } }));
    assert.deepEqual([body.type, body.data, body.stringData], ['Opaque', { x: base64('1'), y: base64('2') }, undefined]);
  });

  test('data must be base64 under valid keys', async (context) => {
    const path = `/api/v1/namespaces/${await cluster.makeNamespace(context)}/secrets`;
    assert.equal((await api.create<Status>(path, secret('a', { data: { x: 'not base64!' } }))).status, 400);
    const key = await api.create<Status>(path, secret('a', { data: { 'x/y': base64('1') } }));
    assert.deepEqual([key.status, key.body.reason], [422, 'Invalid']);
  });

  test('an immutable Secret keeps its data; its labels may change, and it may go', async (context) => {
    const path = `/api/v1/namespaces/${await cluster.makeNamespace(context)}/secrets`;
    const { body: created } = await api.create<V1Secret>(path, secret('a', { immutable: true, data: { x: base64('1') } }));
    const changed = await api.replace<Status>(`${path}/a`, { ...created, data: { x: base64('2') } });
    assert.deepEqual([changed.status, changed.body.reason, changed.body.details?.causes?.[0]?.field], [422, 'Invalid', 'data']);
    assert.match(changed.body.message ?? '', /field is immutable when `immutable` is set/);
    const opened = await api.patch<Status>(`${path}/a`, { immutable: false });
    assert.deepEqual([opened.status, opened.body.details?.causes?.[0]?.field], [422, 'immutable']);
    assert.equal((await api.patch(`${path}/a`, { metadata: { labels: { x: 'y' } } })).status, 200);
    assert.equal((await api.delete(`${path}/a`)).status, 200);
  });

  test('the type of a Secret does not change', async (context) => {
    const path = `/api/v1/namespaces/${await cluster.makeNamespace(context)}/secrets`;
    const { body: created } = await api.create<V1Secret>(path, secret('a', { type: 'example.invalid/one' }));
    const changed = await api.replace<Status>(`${path}/a`, { ...created, type: 'example.invalid/two' });
    assert.deepEqual([changed.status, changed.body.details?.causes?.[0]?.field], [422, 'type']);
  });

  test('an immutable ConfigMap keeps its data', async (context) => {
    const path = `/api/v1/namespaces/${await cluster.makeNamespace(context)}/configmaps`;
    const { body: created } = await api.create<V1ConfigMap>(path, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, immutable: true, data: { x: '1' } });
    assert.equal((await api.replace<Status>(`${path}/a`, { ...created, data: { x: '2' } })).status, 422);
    assert.equal((await api.patch(`${path}/a`, { metadata: { annotations: { x: 'y' } } })).status, 200);
  });

  test('an object of more than a mebibyte of data is refused', async (context) => {
    const path = `/api/v1/namespaces/${await cluster.makeNamespace(context)}/configmaps`;
    const large = await api.create<Status>(path, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { x: 'x'.repeat((1 << 20) + 1) } });
    assert.deepEqual([large.status, large.body.reason], [422, 'Invalid']);
  });
}
