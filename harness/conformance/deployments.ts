import type { V1Deployment, V1Pod, V1PodList, V1ReplicaSetList } from '@kubernetes/client-node';
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { ClusterUnderTest } from './cluster-under-test.ts';
import { PATIENT_PROGRAM, programPodSpec } from './pod-programs.ts';
import { WatchStream } from './watch-stream.ts';

const isReady = ({ metadata, status }: V1Pod) => metadata?.deletionTimestamp === undefined && (status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false);

export function checkDeployments(cluster: ClusterUnderTest): void {
  const { api } = cluster;

  async function deploy(context: TestContext): Promise<{ namespace: string; path: string; pods: WatchStream<V1Pod>; first: V1Pod }> {
    const namespace = await cluster.makeNamespace(context);
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments`;
    const pods = await WatchStream.open<V1Pod>(api, `/api/v1/namespaces/${namespace}/pods`);
    context.after(() => pods[Symbol.dispose]());
    const spec = programPodSpec(cluster, PATIENT_PROGRAM, { restartPolicy: 'Always' });
    const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a' }, spec: { replicas: 1, strategy: { type: 'Recreate' }, selector: { matchLabels: { app: 'a' } }, template: { metadata: { labels: { app: 'a' } }, spec } } };
    assert.equal((await api.create(path, deployment)).status, 201);
    return { namespace, path, pods, first: await pods.untilObject('a ready Pod', isReady) };
  }

  test('a Pod belongs to its ReplicaSet, and that to its Deployment', async (context) => {
    const { namespace, path, first } = await deploy(context);
    const { items: [set] } = (await api.get<V1ReplicaSetList>(`/apis/apps/v1/namespaces/${namespace}/replicasets`)).body;
    const { body: deployment } = await api.get<V1Deployment>(`${path}/a`);
    assert.equal(first.metadata?.ownerReferences?.[0]?.uid, set?.metadata?.uid);
    assert.equal(set?.metadata?.ownerReferences?.[0]?.uid, deployment.metadata?.uid);
    const hash = first.metadata?.labels?.['pod-template-hash'];
    assert.ok(hash);
    assert.deepEqual([set?.metadata?.name, set?.metadata?.labels?.['pod-template-hash'], set?.metadata?.annotations?.['deployment.kubernetes.io/revision']], [`a-${hash}`, hash, '1']);
    assert.match(first.metadata?.name ?? '', new RegExp(`^a-${hash}-[a-z0-9]{5}$`));
  });

  test('Recreate: the old Pod is gone before the new one is made', async (context) => {
    const { namespace, path, pods, first } = await deploy(context);
    await api.patch(`${path}/a`, { spec: { template: { metadata: { annotations: { 'example.invalid/generation': '2' } } } } });
    const second = await pods.untilObject('a second ready Pod', (pod) => isReady(pod) && pod.metadata?.uid !== first.metadata?.uid);
    const gone = pods.events.findIndex(({ type, object }) => type === 'DELETED' && object.metadata?.uid === first.metadata?.uid);
    const made = pods.events.findIndex(({ type, object }) => type === 'ADDED' && object.metadata?.uid === second.metadata?.uid);
    assert.ok(gone >= 0 && gone < made, `DELETED (${gone}) before ADDED (${made})`);
    assert.equal(second.metadata?.annotations?.['example.invalid/generation'], '2');
    const { items } = (await api.get<V1ReplicaSetList>(`/apis/apps/v1/namespaces/${namespace}/replicasets`)).body;
    const revisions = items.map(({ metadata, spec }) => [metadata?.annotations?.['deployment.kubernetes.io/revision'], spec?.replicas]);
    assert.deepEqual(revisions.toSorted(([a = ''], [b = '']) => String(a).localeCompare(String(b))), [['1', 0], ['2', 1]]);
  });

  test('the status follows: observed generation, replicas, Available', async (context) => {
    const { path } = await deploy(context);
    using watch = await WatchStream.open<V1Deployment>(api, path);
    const { metadata, status } = await watch.untilObject('an available Deployment', ({ status: now }) => now?.availableReplicas === 1);
    assert.equal(status?.observedGeneration, metadata?.generation);
    assert.deepEqual([status?.replicas, status?.updatedReplicas, status?.readyReplicas], [1, 1, 1]);
    assert.equal(status?.conditions?.find(({ type }) => type === 'Available')?.status, 'True');
    assert.equal(status?.conditions?.find(({ type }) => type === 'Progressing')?.status, 'True');
  });

  test('a Pod that is deleted is replaced by another', async (context) => {
    const { namespace, pods, first } = await deploy(context);
    await api.delete(`/api/v1/namespaces/${namespace}/pods/${first.metadata?.name}`, { gracePeriodSeconds: 0 });
    const second = await pods.untilObject('another ready Pod', (pod) => isReady(pod) && pod.metadata?.uid !== first.metadata?.uid);
    assert.notEqual(second.metadata?.name, first.metadata?.name);
  });

  test('scaled to zero, the last Pod ends; deleted, everything goes', async (context) => {
    const { namespace, path, pods, first } = await deploy(context);
    await api.patch(`${path}/a/scale`, { spec: { replicas: 0 } });
    await pods.untilDeleted(first.metadata?.name ?? '');
    using sets = await WatchStream.open(api, `/apis/apps/v1/namespaces/${namespace}/replicasets`);
    const { name } = (await sets.untilObject('the ReplicaSet', () => true)).metadata ?? {};
    await api.delete(`${path}/a`);
    await sets.untilDeleted(name ?? '');
    assert.deepEqual((await api.get<V1PodList>(`/api/v1/namespaces/${namespace}/pods`)).body.items, []);
  });
}
