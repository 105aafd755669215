import { KubeConfig } from '@kubernetes/client-node';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';
import { Authority } from '../pki/authority.ts';
import { getRaw, requestRaw } from './raw-request.ts';

describe('requests whose answers are kept as they came', () => {
  let server: Server;
  let config: KubeConfig;
  let handshakes = 0;

  before(async () => {
    const authority = await Authority.create('raw requests');
    const { certificatePem: cert, privateKeyPem: key } = await authority.issueServer('127.0.0.1', { dns: [], ip: ['127.0.0.1'] });
    server = createServer({ cert, key }, (request, response) => void response.end(JSON.stringify({ path: request.url })));
    server.on('secureConnection', () => (handshakes += 1));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    config = new KubeConfig();
    config.loadFromOptions({
      clusters: [{ name: 'c', server: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, caData: Buffer.from(authority.certificatePem).toString('base64') }],
      users: [{ name: 'u' }],
      contexts: [{ name: 'x', cluster: 'c', user: 'u' }],
      currentContext: 'x',
    });
  });
  after(() => server.close());
  beforeEach(() => {
    server.closeIdleConnections();
    handshakes = 0;
  });

  it('reads one after another over one connection', async () => {
    for (const path of ['/a', '/b', '/c']) assert.deepEqual(await getRaw(config, path), { path });
    assert.equal(handshakes, 1);
  });

  it('reads on when the server has closed the connection meanwhile', async () => {
    await getRaw(config, '/a');
    server.closeIdleConnections();
    assert.deepEqual(await getRaw(config, '/b'), { path: '/b' });
    assert.equal(handshakes, 2);
  });

  it('gives what must not be sent twice a connection of its own', async () => {
    await getRaw(config, '/a');
    assert.equal((await requestRaw(config, 'DELETE', '/b')).status, 200);
    assert.equal(handshakes, 2);
  });
});
