import assert from 'node:assert/strict';
import type { Duplex } from 'node:stream';
import { describe, it, type TestContext } from 'node:test';
import type { KubeConfig } from '@kubernetes/client-node';
import { stageApiServer } from '../../cluster/testing/staged-api-server.ts';
import { untilReady, untilTakesObjects } from './cluster-readiness.ts';

const DEADLINE_MS = 2_000;
const DEFAULT_CLASS = { metadata: { name: 'local-path', uid: 'u', resourceVersion: '1', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } } };
const SERVICE = { kind: 'Service', spec: { clusterIP: '10.43.0.1', ports: [{ port: 443 }] } };
const ENDPOINTS = { kind: 'Endpoints', subsets: [{ addresses: [{ ip: '172.18.0.2' }], ports: [{ port: 6443 }] }] };

/** An API server that is up before its node and its controllers are: accounts and the CA are still to come. */
const EARLY: Readonly<Record<string, object | string>> = {
  '/readyz': 'ok',
  '/apis/storage.k8s.io/v1/storageclasses': listOf([DEFAULT_CLASS]),
  '/api/v1/namespaces/default/services/kubernetes': SERVICE,
  '/api/v1/namespaces/default/endpoints/kubernetes': ENDPOINTS,
  '/api/v1/nodes': listOf([]),
  '/api/v1/namespaces/default/configmaps': listOf([]),
  '/api/v1/namespaces/default/serviceaccounts': listOf([]),
};

function listOf(items: readonly object[]): object {
  return { metadata: { resourceVersion: '1' }, items };
}

async function staged(context: TestContext, answers: Readonly<Record<string, object | string>>): Promise<KubeConfig> {
  const { server, config } = await stageApiServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'https://api');
    const answer = answers[pathname];
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
    if (searchParams.get('watch') === 'true') response.flushHeaders();
    else response.end(typeof answer === 'string' ? answer : JSON.stringify(answer ?? {}));
  });
  const sockets = new Set<Duplex>();
  server.on('connection', (socket) => sockets.add(socket));
  context.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy(); // of some the handshake is not over yet: the server does not count them
  });
  return config;
}

describe('a cluster that comes up', () => {
  it('takes objects before it has a node: how Pods reach it is known, and a claim gets its class', async (context) => {
    assert.deepEqual(await untilTakesObjects(await staged(context, EARLY), DEADLINE_MS, context.signal), {
      serviceCidr: '10.43.0.1/32', servicePort: 443, backendCidr: '172.18.0.2/32', backendPort: 6443,
    });
  });

  it('is not ready by that', async (context) => {
    await assert.rejects(untilReady(await staged(context, EARLY), 300, context.signal), /a node that is Ready/);
  });

  const MISSING: Readonly<Record<string, readonly [path: string, instead: object | string, expected: RegExp]>> = {
    'nothing says which class a claim gets': ['/apis/storage.k8s.io/v1/storageclasses', listOf([{ metadata: { ...DEFAULT_CLASS.metadata, annotations: {} } }]), /a default StorageClass/],
    'nobody knows yet where Pods find it': ['/api/v1/namespaces/default/endpoints/kubernetes', { kind: 'Endpoints' }, /address and an endpoint/],
  };
  for (const [what, [path, instead, expected]] of Object.entries(MISSING)) {
    it(`takes none while ${what}`, async (context) => {
      await assert.rejects(untilTakesObjects(await staged(context, { ...EARLY, [path]: instead }), 300, context.signal), expected);
    });
  }
});
