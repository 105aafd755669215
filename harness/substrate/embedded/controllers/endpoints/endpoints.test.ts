import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { EmbeddedNode } from '../../node-agent/testing/embedded-node.ts';
import { ENDPOINT_SLICES, ENDPOINTS, PODS, SERVICES } from '../runtime/kinds.ts';
import type { EndpointSlice } from '../runtime/objects.ts';

const SERVER = `
import { createServer } from 'node:http';
let ready = false;
createServer((request, response) => {
  if (request.url === '/toggle') ready = true;
  response.writeHead(request.url === '/readyz' && !ready ? 503 : 200).end('hello from ' + process.env.HOSTNAME);
}).listen(8080, process.env.POD_IP, () => console.log('ready'));
`;
const CLIENT = `
for (const name of ['web', 'web.default', 'web.default.svc', 'web.default.svc.cluster.local']) {
  const answer = await fetch('http://' + name + ':8080/').then((response) => response.text(), (error) => error.cause.code);
  console.log(name, answer);
}
console.log(await fetch('http://absent.default.svc:8080/').catch((error) => error.cause.code));
`;

describe('a Service', () => {
  let node: EmbeddedNode;
  before(async () => {
    node = await EmbeddedNode.start({ images: { 'server:1': { 'app/main.mjs': SERVER }, 'client:1': { 'app/main.mjs': CLIENT } } });
  });
  after(() => node[Symbol.asyncDispose]());

  async function clientOutput(name: string): Promise<string> {
    await node.create(PODS, 'default', { metadata: { name }, spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'client:1' }] } });
    const pod = await node.waitForPod('default', name, (seen) => seen.status?.phase === 'Succeeded' || seen.status?.phase === 'Failed');
    return node.log(pod, 'main');
  }

  it('leads by each of its names to the Pods that are ready, and to nobody while none is', async () => {
    await node.create(SERVICES, 'default', { metadata: { name: 'web' }, spec: { selector: { app: 'web' }, ports: [{ name: 'http', port: 8080, targetPort: 'http' }] } });
    const container = {
      name: 'main',
      image: 'server:1',
      ports: [{ name: 'http', containerPort: 8080 }],
      env: [{ name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }],
      readinessProbe: { httpGet: { path: '/readyz', port: 'http' }, periodSeconds: 1, timeoutSeconds: 20 },
    };
    await node.create(PODS, 'default', { metadata: { name: 'web-1', labels: { app: 'web' } }, spec: { containers: [container] } });
    const pod = await node.waitForPod('default', 'web-1', (seen) => seen.status?.phase === 'Running' && seen.status.podIP !== undefined);
    await node.waitForLine(pod, 'main', 'ready');
    const isAddressed = (isReady: boolean) => (slice: EndpointSlice): boolean => slice.metadata.labels?.['kubernetes.io/service-name'] === 'web' && slice.endpoints?.[0]?.conditions?.ready === isReady;
    await node.waitUntil(ENDPOINT_SLICES, (cache) => cache.all().find(isAddressed(false)), 'slice with an unready endpoint');
    const names = ['web', 'web.default', 'web.default.svc', 'web.default.svc.cluster.local'];
    assert.equal(await clientOutput('too-early'), `${names.map((name) => `${name} ECONNREFUSED`).join('\n')}\nENOTFOUND\n`);

    await fetch(`http://${pod.status?.podIP}:8080/toggle`);
    const slice = await node.waitUntil(ENDPOINT_SLICES, (cache) => cache.all().find(isAddressed(true)), 'slice with a ready endpoint');
    assert.deepEqual(slice.ports?.map(({ name, port }) => [name, port]), [['http', 8080]]);
    const endpoints = await node.waitFor(ENDPOINTS, 'default', 'web', (seen) => seen.subsets?.[0]?.addresses !== undefined);
    assert.equal(endpoints.subsets?.[0]?.addresses?.[0]?.ip, pod.status?.podIP);
    assert.equal(await clientOutput('in-time'), `${names.map((name) => `${name} hello from web-1`).join('\n')}\nENOTFOUND\n`);
  });
});
