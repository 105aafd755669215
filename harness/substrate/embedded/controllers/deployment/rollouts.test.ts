import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DEPLOYMENTS, PODS, REPLICA_SETS } from '../runtime/kinds.ts';
import type { Deployment, Pod, StoredObject } from '../runtime/objects.ts';
import { EmbeddedNode } from '../../node-agent/testing/embedded-node.ts';
import { POLITE } from '../../node-agent/testing/programs.ts';

type Fields = Record<string, unknown>;

function deploymentOf(name: string, strategy: Fields, replicas = 1): Fields & { metadata: { name: string } } {
  const template = {
    metadata: { labels: { app: name }, annotations: { generation: 'one' } },
    spec: { containers: [{ name: 'main', image: 'app:1' }] },
  };
  return { metadata: { name }, spec: { replicas, strategy, selector: { matchLabels: { app: name } }, template } };
}

function isRolledOut(deployment: Deployment | undefined): boolean {
  const { status, spec, metadata } = deployment ?? {};
  const wanted = spec?.replicas ?? 1;
  const progressing = status?.conditions?.find(({ type }) => type === 'Progressing');
  const counts = [status?.replicas ?? 0, status?.updatedReplicas ?? 0, status?.availableReplicas ?? 0];
  return progressing?.reason === 'NewReplicaSetAvailable' && status?.observedGeneration === metadata?.generation && counts.every((count) => count === wanted);
}

const nextGeneration = { spec: { template: { metadata: { annotations: { generation: 'two' } } } } };
const generationOf = (pod: Pod): string | undefined => pod.metadata.annotations?.['generation'];

describe('a Deployment', () => {
  let node: EmbeddedNode;
  before(async () => {
    node = await EmbeddedNode.start({ images: { 'app:1': { 'app/main.mjs': POLITE } } });
  });
  after(() => node[Symbol.asyncDispose]());

  async function roll(name: string, strategy: Fields, replicas = 1): Promise<{ first: Deployment; second: Deployment }> {
    await node.create(DEPLOYMENTS, 'default', deploymentOf(name, strategy, replicas));
    const first = await node.waitFor(DEPLOYMENTS, 'default', name, isRolledOut);
    const patched = await node.client.patch(DEPLOYMENTS, first, nextGeneration);
    const isNew = (deployment: Deployment | undefined): boolean => isRolledOut(deployment) && deployment?.metadata.generation === patched.metadata.generation;
    return { first, second: await node.waitFor(DEPLOYMENTS, 'default', name, isNew) };
  }

  it('with Recreate makes no new Pod before every old one has left the API', async () => {
    using recorded = node.record(PODS);
    const { first, second } = await roll('recreated', { type: 'Recreate' }, 2);
    const mine = recorded.changes.filter(({ object }) => object.metadata.labels?.['app'] === 'recreated');
    const goneAt = mine.flatMap(({ type, object }, index) => (type === 'DELETED' && generationOf(object) === 'one' ? [index] : []));
    const createdAt = mine.flatMap(({ type, object }, index) => (type === 'ADDED' && generationOf(object) === 'two' ? [index] : []));
    assert.deepEqual([goneAt.length, createdAt.length], [2, 2]);
    assert.ok(Math.max(...goneAt) < Math.min(...createdAt));
    assert.deepEqual([first, second].map(({ metadata }) => metadata.annotations?.['deployment.kubernetes.io/revision']), ['1', '2']);
  });

  it('with RollingUpdate never has fewer available Pods than it may', async () => {
    using recorded = node.record(DEPLOYMENTS);
    await roll('rolling', { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }, 2);
    const versions = recorded.changes.map(({ object }) => object).filter(({ metadata }) => metadata.name === 'rolling');
    const since = versions.findIndex(isRolledOut);
    assert.ok(versions.slice(since).every(({ status }) => (status?.availableReplicas ?? 0) >= 2 && (status?.replicas ?? 0) <= 3));
    const names = (await node.client.list(REPLICA_SETS, 'default')).filter(({ metadata }) => metadata.labels?.['app'] === 'rolling');
    assert.deepEqual(new Set(names.map(({ spec }) => spec.replicas)), new Set([0, 2]));
  });

  it('returns to a ReplicaSet that already has the template, with a new revision', async () => {
    const { first, second } = await roll('returning', { type: 'Recreate' }, 0);
    const sets = (): Promise<string[]> => node.client.list(REPLICA_SETS, 'default').then((all) => all.filter(({ metadata }) => metadata.labels?.['app'] === 'returning').map(({ metadata }) => metadata.name));
    const before = await sets();
    await node.client.patch(DEPLOYMENTS, second, { spec: { template: { metadata: { annotations: { generation: 'one' } } } } });
    const third = await node.waitFor(DEPLOYMENTS, 'default', 'returning', (deployment) => deployment?.metadata.annotations?.['deployment.kubernetes.io/revision'] === '3');
    assert.deepEqual(third.spec.template, first.spec.template);
    assert.deepEqual((await sets()).toSorted(), before.toSorted());
  });

  it('scales to zero and says so', async () => {
    await node.create(DEPLOYMENTS, 'default', deploymentOf('shrinking', { type: 'Recreate' }, 2));
    const full = await node.waitFor(DEPLOYMENTS, 'default', 'shrinking', isRolledOut);
    await node.client.patch(DEPLOYMENTS, full, { spec: { replicas: 0 } });
    const empty = await node.waitFor(DEPLOYMENTS, 'default', 'shrinking', (deployment) => deployment?.spec.replicas === 0 && isRolledOut(deployment));
    assert.deepEqual([empty.status?.replicas, empty.status?.readyReplicas], [undefined, undefined]);
  });

  it('replaces a Pod that is force-deleted', async () => {
    await node.create(DEPLOYMENTS, 'default', deploymentOf('replaced', { type: 'Recreate' }));
    await node.waitFor(DEPLOYMENTS, 'default', 'replaced', isRolledOut);
    const isMine = ({ metadata }: Pod): boolean => metadata.labels?.['app'] === 'replaced';
    const pod = await node.waitUntil(PODS, (cache) => cache.all().find(isMine), 'replaced');
    await node.client.delete(PODS, pod, { gracePeriodSeconds: 0 });
    const isSuccessor = (seen: Pod): boolean => isMine(seen) && seen.metadata.uid !== pod.metadata.uid && seen.status?.phase === 'Running';
    await node.waitUntil(PODS, (cache) => cache.all().find(isSuccessor), 'a successor');
  });

  it('takes its ReplicaSets and Pods along when it is deleted', async () => {
    await node.create(DEPLOYMENTS, 'default', deploymentOf('leaving', { type: 'Recreate' }));
    const deployment = await node.waitFor(DEPLOYMENTS, 'default', 'leaving', isRolledOut);
    await node.client.delete(DEPLOYMENTS, deployment, { propagationPolicy: 'Background' });
    const none = (all: readonly StoredObject[]): true | undefined =>
      all.some(({ metadata }) => metadata.labels?.['app'] === 'leaving') ? undefined : true;
    await node.waitUntil(REPLICA_SETS, (cache) => none(cache.all()), 'no ReplicaSet left');
    await node.waitUntil(PODS, (cache) => none(cache.all()), 'no Pod left');
  });

  it('stays until its dependents are gone when they go first', async () => {
    await node.create(DEPLOYMENTS, 'default', deploymentOf('foreground', { type: 'Recreate' }));
    const deployment = await node.waitFor(DEPLOYMENTS, 'default', 'foreground', isRolledOut);
    using pods = node.record(PODS);
    using deployments = node.record(DEPLOYMENTS);
    await node.client.delete(DEPLOYMENTS, deployment, { propagationPolicy: 'Foreground' });
    await node.waitForGone(DEPLOYMENTS, 'default', 'foreground');
    const podGone = pods.changes.find(({ type, object }) => type === 'DELETED' && object.metadata.labels?.['app'] === 'foreground');
    const ownGone = deployments.changes.find(({ type, object }) => type === 'DELETED' && object.metadata.name === 'foreground');
    assert.ok(podGone !== undefined && ownGone !== undefined);
    assert.ok(BigInt(podGone.object.metadata.resourceVersion) < BigInt(ownGone.object.metadata.resourceVersion));
  });
});
