import type { V1ConfigMap, V1Deployment } from '@kubernetes/client-node';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Status } from './api-connection.ts';
import type { ClusterUnderTest } from './cluster-under-test.ts';
import { pausedDeployment } from './sample-objects.ts';

export function checkObjects(cluster: ClusterUnderTest): void {
  const { api } = cluster;
  const configMap = (name: string, data: Record<string, string> = {}) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });

  test('a created object has an identity and comes back as it was stored', async (context) => {
    const path = `/api/v1/namespaces/${await cluster.makeNamespace(context)}/configmaps`;
    const created = await api.create<V1ConfigMap>(path, configMap('a', { x: '1' }));
    assert.equal(created.status, 201);
    assert.match(created.body.metadata?.uid ?? '', /^[0-9a-f-]{36}$/);
    assert.match(created.body.metadata?.resourceVersion ?? '', /^[1-9][0-9]*$/);
    assert.match(String(created.body.metadata?.creationTimestamp), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    assert.deepEqual((await api.get(`${path}/a`)).body, created.body);
  });

  test('a second object of the same name, an absent one and an absent namespace are refused as Kubernetes says it', async (context) => {
    const namespace = await cluster.makeNamespace(context);
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    await api.create(path, configMap('a'));
    const again = await api.create<Status>(path, configMap('a'));
    assert.deepEqual([again.status, again.body.kind, again.body.reason, again.body.message], [409, 'Status', 'AlreadyExists', 'configmaps "a" already exists']);
    assert.deepEqual([again.body.details?.name, again.body.details?.kind, again.body.code], ['a', 'configmaps', 409]);
    const absent = await api.get<Status>(`${path}/b`);
    assert.deepEqual([absent.status, absent.body.reason, absent.body.message], [404, 'NotFound', 'configmaps "b" not found']);
    const nowhere = await api.create<Status>('/api/v1/namespaces/absent-namespace/configmaps', configMap('a'));
    assert.deepEqual([nowhere.status, nowhere.body.reason, nowhere.body.message], [404, 'NotFound', 'namespaces "absent-namespace" not found']);
  });

  test('a name can be generated, must be valid, and must be that of the path', async (context) => {
    const path = `/api/v1/namespaces/${await cluster.makeNamespace(context)}/configmaps`;
    const generated = await api.create<V1ConfigMap>(path, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'g-' } });
    assert.match(generated.body.metadata?.name ?? '', /^g-[a-z0-9]{5}$/);
    const invalid = await api.create<Status>(path, configMap('No_Such'));
    assert.deepEqual([invalid.status, invalid.body.reason, invalid.body.details?.causes?.[0]?.field], [422, 'Invalid', 'metadata.name']);
    const unnamed = await api.create<Status>(path, { apiVersion: 'v1', kind: 'ConfigMap', metadata: {} });
    assert.deepEqual([unnamed.status, unnamed.body.reason], [422, 'Invalid']);
    await api.create(path, configMap('a'));
    const other = await api.replace<Status>(`${path}/a`, configMap('b'));
    assert.deepEqual([other.status, other.body.reason, other.body.message], [400, 'BadRequest', 'the name of the object (b) does not match the name on the URL (a)']);
    const namespace = await api.create<Status>(path, { ...configMap('c'), metadata: { name: 'c', namespace: 'default' } });
    assert.deepEqual([namespace.status, namespace.body.reason], [400, 'BadRequest']);
  });

  test('a replace with an old resourceVersion conflicts; without one it does not; with another uid it does', async (context) => {
    const path = `/api/v1/namespaces/${await cluster.makeNamespace(context)}/configmaps`;
    const { body: first } = await api.create<V1ConfigMap>(path, configMap('a', { x: '1' }));
    const second = await api.replace<V1ConfigMap>(`${path}/a`, { ...first, data: { x: '2' } });
    assert.equal(second.status, 200);
    assert.ok(BigInt(second.body.metadata?.resourceVersion ?? 0) > BigInt(first.metadata?.resourceVersion ?? 0));
    const stale = await api.replace<Status>(`${path}/a`, { ...first, data: { x: '3' } });
    assert.deepEqual(
      [stale.status, stale.body.reason, stale.body.message],
      [409, 'Conflict', 'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again'],
    );
    assert.equal((await api.replace(`${path}/a`, configMap('a', { x: '4' }))).status, 200);
    const foreign = await api.replace<Status>(`${path}/a`, { ...configMap('a'), metadata: { name: 'a', uid: '00000000-0000-4000-8000-000000000000' } });
    assert.deepEqual([foreign.status, foreign.body.reason], [409, 'Conflict']);
    assert.match(foreign.body.message ?? '', /Precondition failed: UID in precondition/);
  });

  test('a write that changes nothing keeps the resourceVersion', async (context) => {
    const path = `/api/v1/namespaces/${await cluster.makeNamespace(context)}/configmaps`;
    const { body: created } = await api.create<V1ConfigMap>(path, configMap('a', { x: '1' }));
    assert.equal((await api.replace<V1ConfigMap>(`${path}/a`, created)).body.metadata?.resourceVersion, created.metadata?.resourceVersion);
    assert.equal((await api.patch<V1ConfigMap>(`${path}/a`, { data: { x: '1' } })).body.metadata?.resourceVersion, created.metadata?.resourceVersion);
  });

  test('the generation follows the spec, not the metadata', async (context) => {
    const path = `/apis/apps/v1/namespaces/${await cluster.makeNamespace(context)}/deployments`;
    const { body: created } = await api.create<V1Deployment>(path, pausedDeployment('a'));
    assert.equal(created.metadata?.generation, 1);
    const labelled = await api.patch<V1Deployment>(`${path}/a`, { metadata: { labels: { x: 'y' } } });
    assert.equal(labelled.body.metadata?.generation, 1);
    const annotated = await api.patch<V1Deployment>(`${path}/a`, { spec: { template: { metadata: { annotations: { x: 'y' } } } } });
    assert.equal(annotated.body.metadata?.generation, 2);
  });

  test('what is not served is 404, and a method that is not allowed is 405', async () => {
    assert.equal((await api.get('/apis/example.invalid/v1/things')).status, 404);
    assert.equal((await api.get('/api/v1/no-such-things')).status, 404);
    assert.equal((await api.replace<Status>('/api/v1/namespaces/default/configmaps', configMap('a'))).status, 405);
  });

  test('a dry run answers as if, and changes nothing', async (context) => {
    const path = `/api/v1/namespaces/${await cluster.makeNamespace(context)}/configmaps`;
    assert.equal((await api.create(path, configMap('a'), { dryRun: 'All' })).status, 201);
    assert.equal((await api.get(`${path}/a`)).status, 404);
  });
}
