import { KubeConfig } from '@kubernetes/client-node';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, createServer, request } from 'node:https';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { after, before, test } from 'node:test';
import { Authority } from '../../pki/authority.ts';
import { FaultProxy } from './fault-proxy.ts';

interface Seen {
  readonly method: string | undefined;
  readonly body: string;
  readonly client: string | null;
  readonly impersonated: string | undefined;
}

const seen: Seen[] = [];
const asked = new WeakSet<Socket>();
const authority = await Authority.create('test');
const [serverIdentity, administrator] = await Promise.all([authority.issueServer('api', { dns: [], ip: ['127.0.0.1'] }), authority.issueClient('system:admin')]);
const upstream = createServer({ cert: serverIdentity.certificatePem, key: serverIdentity.privateKeyPem, ca: authority.certificatePem, requestCert: true, rejectUnauthorized: false }, (req, res) => {
  // closes an idle connection at the worst moment: when it is used again
  if (asked.has(req.socket)) return void req.socket.destroy();
  asked.add(req.socket);
  let body = '';
  req.on('data', (chunk: Buffer) => (body += chunk.toString()));
  req.on('end', () => {
    const subject = (req.socket as TLSSocket).getPeerCertificate().subject as { CN?: string } | undefined;
    seen.push({ method: req.method, body, client: subject?.CN ?? null, impersonated: req.headers['impersonate-user'] as string | undefined });
    res.writeHead(409, { 'content-type': 'application/json' }).end('{"reason":"Conflict"}');
  });
});
let proxy: FaultProxy;

before(async () => {
  upstream.listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  const config = new KubeConfig();
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  config.loadFromOptions({
    clusters: [{ name: 'c', server: `https://127.0.0.1:${(upstream.address() as AddressInfo).port}`, caData: base64(authority.certificatePem), skipTLSVerify: false }],
    users: [{ name: 'u', certData: base64(administrator.certificatePem), keyData: base64(administrator.privateKeyPem) }],
    contexts: [{ name: 'x', cluster: 'c', user: 'u' }],
    currentContext: 'x',
  });
  proxy = await FaultProxy.start(config, authority);
});
after(async () => {
  await proxy.stop();
  upstream.closeAllConnections();
  upstream.close();
});

async function put(headers: Record<string, string>, signal?: AbortSignal, agent: Agent | false = false): Promise<{ status: number | undefined; text: string }> {
  const outgoing = request(`${proxy.endpoint.server}/api/v1/namespaces/a/secrets/b?fieldValidation=Strict`, { method: 'PUT', ca: proxy.endpoint.caPem, agent, headers, ...(signal === undefined ? {} : { signal }) });
  outgoing.end('{"x":1}');
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return { status: response.statusCode, text };
}

test('forwards body, answer and impersonation under the administrator, and tokens without it', async () => {
  seen.length = 0;
  assert.deepEqual(await put({ 'impersonate-user': 'operator' }), { status: 409, text: '{"reason":"Conflict"}' });
  await put({ authorization: 'Bearer x' });
  assert.deepEqual(seen, [
    { method: 'PUT', body: '{"x":1}', client: 'system:admin', impersonated: 'operator' },
    { method: 'PUT', body: '{"x":1}', client: null, impersonated: undefined },
  ]);
});

test('a connection is never lost for its age, neither that of the client nor that to the server', async () => {
  proxy.inject(() => Promise.resolve('forward'));
  const connections = new Set<Socket>();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  agent.on('free', (socket: Socket) => connections.add(socket));
  try {
    for (const token of ['x', 'y']) {
      assert.equal((await put({ authorization: `Bearer ${token}` }, undefined, agent)).status, 409);
      assert.equal((await put({}, undefined, agent)).status, 409);
    }
    assert.equal(connections.size, 1, 'the client’s one connection serves all');
  } finally {
    agent.destroy();
  }
});

test('a lost response: the request arrives, its answer does not', async () => {
  seen.length = 0;
  proxy.inject(({ method, path }) => Promise.resolve(method === 'PUT' && path === '/api/v1/namespaces/a/secrets/b' ? 'lose-response' : 'forward'));
  await assert.rejects(put({}), /socket hang up|ECONNRESET/);
  assert.equal(seen.length, 1);
});

test('a held request never arrives', async () => {
  seen.length = 0;
  const held = Promise.withResolvers<void>();
  const giveUp = new AbortController();
  proxy.inject(() => {
    held.resolve();
    return Promise.resolve('hold');
  });
  const answer = put({}, giveUp.signal);
  await held.promise;
  giveUp.abort();
  await assert.rejects(answer, { name: 'AbortError' });
  assert.equal(seen.length, 0);
});
