import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { EmbeddedNode } from '../../node-agent/testing/embedded-node.ts';
import { POLITE } from '../../node-agent/testing/programs.ts';
import { CLAIMS, CONFIG_MAPS, NAMESPACES, PODS, SECRETS, SERVICE_ACCOUNTS } from '../runtime/kinds.ts';

describe('a namespace', () => {
  let node: EmbeddedNode;
  before(async () => {
    node = await EmbeddedNode.start({ images: { 'app:1': { 'app/main.mjs': POLITE } } });
  });
  after(() => node[Symbol.asyncDispose]());

  it('has the CA and the default ServiceAccount, also after somebody has deleted them', async () => {
    await node.namespace('furnished');
    const rootCa = await node.waitFor(CONFIG_MAPS, 'furnished', 'kube-root-ca.crt', () => true);
    await node.client.delete(CONFIG_MAPS, rootCa);
    const again = await node.waitFor(CONFIG_MAPS, 'furnished', 'kube-root-ca.crt', (seen) => seen.metadata.uid !== rootCa.metadata.uid);
    assert.match(again.data?.['ca.crt'] ?? '', /BEGIN CERTIFICATE/);
  });

  it('takes everything in it along, running Pods and used claims too', async () => {
    await node.namespace('doomed');
    await node.create(SECRETS, 'doomed', { metadata: { name: 's' }, stringData: { a: 'b' } });
    await node.create(CLAIMS, 'doomed', { metadata: { name: 'c' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } } });
    const volumes = [{ name: 'c', persistentVolumeClaim: { claimName: 'c' } }];
    await node.create(PODS, 'doomed', { metadata: { name: 'p' }, spec: { volumes, containers: [{ name: 'main', image: 'app:1' }] } });
    const pod = await node.waitForPod('doomed', 'p', (seen) => seen.status?.phase === 'Running');
    await node.waitForLine(pod, 'main', 'ready');
    using pods = node.record(PODS);
    using claims = node.record(CLAIMS);
    const namespace = await node.waitFor(NAMESPACES, '', 'doomed', () => true);
    await node.client.delete(NAMESPACES, namespace);
    await node.waitForGone(NAMESPACES, '', 'doomed');
    const [podGone, claimGone] = [pods, claims].map(({ changes }) => changes.find(({ type }) => type === 'DELETED'));
    assert.equal(pods.changes.find(({ type }) => type === 'DELETED')?.object.status?.phase, 'Succeeded');
    assert.ok(BigInt(podGone?.object.metadata.resourceVersion ?? 0) < BigInt(claimGone?.object.metadata.resourceVersion ?? 0));
    assert.deepEqual(await node.client.list(SERVICE_ACCOUNTS, 'doomed'), []);
  });
});
