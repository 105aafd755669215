import type { V1Endpoints, V1Pod } from '@kubernetes/client-node';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClusterUnderTest } from './cluster-under-test.ts';
import { programPod } from './pod-programs.ts';
import { WatchStream } from './watch-stream.ts';

/** Is ready only when it has been asked three times. */
const SERVER = `
  import { createServer } from 'node:http';
  let asked = 0;
  const answer = (request, response) => { response.statusCode = request.url !== '/readyz' || (asked += 1) > 3 ? 200 : 503; response.end(request.url); };
  createServer(answer).listen(8080, process.env.IP, () => console.log('listening'));
  process.on('SIGTERM', () => process.exit(0));`;

export function checkServices(cluster: ClusterUnderTest): void {
  const { api } = cluster;

  test('a Pod is behind its Service from when it is ready on, and is reached by the Service\'s name', async (context) => {
    const namespace = await cluster.makeNamespace(context);
    const path = `/api/v1/namespaces/${namespace}`;
    await api.create(`${path}/services`, { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' }, spec: { selector: { app: 'a' }, ports: [{ name: 'http', port: 8080, targetPort: 'http' }] } });
    using pods = await WatchStream.open<V1Pod>(api, `${path}/pods`);
    using endpoints = await WatchStream.open<V1Endpoints>(api, `${path}/endpoints`);
    const container = {
      ports: [{ name: 'http', containerPort: 8080 }],
      env: [{ name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }],
      readinessProbe: { httpGet: { path: '/readyz', port: 'http' }, periodSeconds: 1, timeoutSeconds: 20 },
    };
    await api.create(`${path}/pods`, programPod(cluster, 'a', SERVER, {}, container));
    const ready = await pods.untilObject('a ready Pod', ({ status }) => status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false);
    assert.ok(pods.events.some(({ object }) => object.status?.phase === 'Running' && object.status.containerStatuses?.[0]?.ready === false), 'it ran before it was ready');
    const reached = await endpoints.untilObject('the Pod among the endpoints', ({ metadata, subsets }) => metadata?.name === 'web' && (subsets?.[0]?.addresses?.length ?? 0) === 1);
    assert.equal(reached.subsets?.[0]?.addresses?.[0]?.ip, ready.status?.podIP);
    const client = `
      const url = 'http://web.${namespace}.svc:8080/hello';
      for (let attempt = 0; ; attempt += 1) {
        try { console.log(await (await fetch(url)).text()); break; } catch (error) { if (attempt > 100) throw error; await new Promise((resolve) => setTimeout(resolve, 100)); }
      }`;
    await api.create(`${path}/pods`, programPod(cluster, 'client', client));
    await pods.untilObject('the client to end', ({ metadata, status }) => metadata?.name === 'client' && status?.phase === 'Succeeded');
    assert.equal((await api.get<string>(`${path}/pods/client/log`)).body, '/hello\n');
  });

  test('a Pod reaches the API with the token that it is given, as its account', async (context) => {
    const namespace = await cluster.makeNamespace(context);
    const path = `/api/v1/namespaces/${namespace}`;
    const program = `
      import { readFileSync } from 'node:fs';
      import { request } from 'node:https';
      const root = '/var/run/secrets/kubernetes.io/serviceaccount/';
      const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = process.env;
      const headers = { Authorization: 'Bearer ' + readFileSync(root + 'token', 'utf8') };
      const path = '/api/v1/namespaces/' + readFileSync(root + 'namespace', 'utf8') + '/secrets';
      request({ host, port, path, headers, ca: readFileSync(root + 'ca.crt') }, async (response) => {
        const chunks = await response.toArray();
        console.log(JSON.stringify({ status: response.statusCode, message: JSON.parse(Buffer.concat(chunks)).message }));
      }).end();`;
    using pods = await WatchStream.open<V1Pod>(api, `${path}/pods`);
    await api.create(`${path}/pods`, programPod(cluster, 'a', program, { automountServiceAccountToken: true }));
    await pods.untilObject('an ended Pod', ({ status }) => status?.phase === 'Succeeded');
    assert.deepEqual(JSON.parse((await api.get<string>(`${path}/pods/a/log`)).body), {
      status: 403, message: `secrets is forbidden: User "system:serviceaccount:${namespace}:default" cannot list resource "secrets" in API group "" in the namespace "${namespace}"`,
    });
  });
}
