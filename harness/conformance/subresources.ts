import type { V1Deployment, V1Job, V1Scale } from '@kubernetes/client-node';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Status } from './api-connection.ts';
import type { ClusterUnderTest } from './cluster-under-test.ts';
import { pausedDeployment } from './sample-objects.ts';

export function checkSubresources(cluster: ClusterUnderTest): void {
  const { api } = cluster;

  test('status is written through its subresource alone, and that writes nothing else', async (context) => {
    const path = `/apis/batch/v1/namespaces/${await cluster.makeNamespace(context)}/jobs`;
    const job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'a' }, spec: { parallelism: 0, template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'example.invalid/none:1' }] } } } };
    const { body: created } = await api.create<V1Job>(path, { ...job, status: { succeeded: 7 } });
    assert.equal(created.status?.succeeded, undefined);
    const ignored = await api.patch<V1Job>(`${path}/a`, { status: { succeeded: 7 } });
    assert.equal(ignored.body.status?.succeeded, undefined);
    const written = await api.patch<V1Job>(`${path}/a/status`, { status: { conditions: [{ type: 'Example', status: 'True' }] }, spec: { backoffLimit: 1 }, metadata: { labels: { x: 'y' } } });
    assert.equal(written.status, 200);
    assert.equal(written.body.spec?.backoffLimit, 6);
    assert.ok(written.body.status?.conditions?.some(({ type }) => type === 'Example'));
  });

  test('scale reads and writes the replicas, and keeps the resourceVersion\'s promise', async (context) => {
    const path = `/apis/apps/v1/namespaces/${await cluster.makeNamespace(context)}/deployments`;
    const { body: created } = await api.create<V1Deployment>(path, pausedDeployment('a'));
    const { body: scale } = await api.get<V1Scale>(`${path}/a/scale`);
    assert.deepEqual([scale.kind, scale.apiVersion, scale.spec?.replicas ?? 0, scale.status?.selector, scale.metadata?.uid], ['Scale', 'autoscaling/v1', 0, 'app=a', created.metadata?.uid]);
    const patched = await api.patch<V1Scale>(`${path}/a/scale`, { spec: { replicas: 0 } });
    assert.equal(patched.status, 200);
    const stale = await api.replace<Status>(`${path}/a/scale`, { ...scale, metadata: { ...scale.metadata, resourceVersion: '1' } });
    assert.deepEqual([stale.status, stale.body.reason], [409, 'Conflict']);
  });

  test('a subresource that is not served is 404', async (context) => {
    const namespace = await cluster.makeNamespace(context);
    await api.create(`/api/v1/namespaces/${namespace}/configmaps`, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } });
    assert.equal((await api.get(`/api/v1/namespaces/${namespace}/configmaps/a/status`)).status, 404);
  });
}
