import type { V1ConfigMap, V1ConfigMapList } from '@kubernetes/client-node';
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { Status } from './api-connection.ts';
import type { ClusterUnderTest } from './cluster-under-test.ts';

export function checkListing(cluster: ClusterUnderTest): void {
  const { api } = cluster;
  const names = (list: V1ConfigMapList) => list.items.map(({ metadata }) => metadata?.name).filter((name) => name !== 'kube-root-ca.crt');

  async function populate(context: TestContext): Promise<string> {
    const path = `/api/v1/namespaces/${await cluster.makeNamespace(context)}/configmaps`;
    for (const [name, labels] of Object.entries({ a: { app: 'x', tier: '1' }, b: { app: 'y' }, c: { app: 'x' }, d: {} })) {
      await api.create<V1ConfigMap>(path, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels } });
    }
    return path;
  }

  test('a list is in the order of names and has the resourceVersion it was read at', async (context) => {
    const path = await populate(context);
    const { body } = await api.get<V1ConfigMapList>(path);
    assert.deepEqual([body.kind, body.apiVersion, names(body)], ['ConfigMapList', 'v1', ['a', 'b', 'c', 'd']]);
    const newest = Math.max(...body.items.map(({ metadata }) => Number(metadata?.resourceVersion)));
    assert.ok(Number(body.metadata?.resourceVersion) >= newest);
  });

  test('label selectors: equality, inequality, sets and presence', async (context) => {
    const path = await populate(context);
    const select = async (labelSelector: string) => names((await api.get<V1ConfigMapList>(path, { labelSelector })).body);
    assert.deepEqual(await select('app=x'), ['a', 'c']);
    assert.deepEqual(await select('app==x,tier=1'), ['a']);
    assert.deepEqual(await select('app!=x'), ['b', 'd']);
    assert.deepEqual(await select('app in (x, y),!tier'), ['b', 'c']);
    assert.deepEqual(await select('app notin (x)'), ['b', 'd']);
    assert.deepEqual(await select('tier'), ['a']);
    assert.equal((await api.get<Status>(path, { labelSelector: 'a=b=c' })).status, 400);
  });

  test('field selectors: the name, and an unknown field is refused', async (context) => {
    const path = await populate(context);
    assert.deepEqual(names((await api.get<V1ConfigMapList>(path, { fieldSelector: 'metadata.name=b' })).body), ['b']);
    assert.deepEqual(names((await api.get<V1ConfigMapList>(path, { fieldSelector: 'metadata.name!=b' })).body), ['a', 'c', 'd']);
    const unknown = await api.get<Status>(path, { fieldSelector: 'data.x=1' });
    assert.deepEqual([unknown.status, unknown.body.reason], [400, 'BadRequest']);
  });

  test('pages with limit and continue are one consistent list, whatever is written meanwhile', async (context) => {
    const path = await populate(context);
    const first = (await api.get<V1ConfigMapList>(path, { limit: 2, labelSelector: 'app' })).body;
    assert.deepEqual(names(first), ['a', 'b']);
    assert.ok(first.metadata?._continue ?? (first.metadata as { continue?: string }).continue);
    await api.create(path, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'bb', labels: { app: 'x' } } });
    await api.delete(`${path}/c`);
    const rest = (await api.get<V1ConfigMapList>(path, { limit: 2, labelSelector: 'app', continue: (first.metadata as { continue: string }).continue })).body;
    assert.deepEqual([names(rest), (rest.metadata as { continue?: string }).continue ?? ''], [['c'], '']);
    assert.equal(rest.metadata?.resourceVersion, first.metadata?.resourceVersion);
  });

  test('the rest is counted where no selector hides it, and a broken continue token is refused', async (context) => {
    const path = await populate(context);
    const page = (await api.get<V1ConfigMapList>(path, { limit: 1 })).body;
    // of the same moment: a controller puts a ConfigMap of its own into each new namespace
    const rest = (await api.get<V1ConfigMapList>(path, { limit: 500, continue: (page.metadata as { continue: string }).continue })).body.items.length;
    assert.equal(page.metadata?.remainingItemCount, rest);
    assert.ok(rest > 0);
    const broken = await api.get<Status>(path, { limit: 1, continue: 'no-token' });
    assert.deepEqual([broken.status, broken.body.reason], [400, 'BadRequest']);
  });

  test('a list over all namespaces holds each of them', async (context) => {
    const paths = [await populate(context), await populate(context)];
    const { body } = await api.get<V1ConfigMapList>('/api/v1/configmaps', { fieldSelector: 'metadata.name=a' });
    for (const path of paths) assert.ok(body.items.some(({ metadata }) => path.includes(`/${metadata?.namespace}/`)));
  });
}
