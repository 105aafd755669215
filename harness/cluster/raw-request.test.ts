import type { KubeConfig } from '@kubernetes/client-node';
import assert from 'node:assert/strict';
import type { Server } from 'node:https';
import { after, before, beforeEach, describe, it } from 'node:test';
import { getRaw, requestRaw } from './raw-request.ts';
import { stageApiServer } from './testing/staged-api-server.ts';

describe('requests whose answers are kept as they came', () => {
  let server: Server;
  let config: KubeConfig;
  let handshakes = 0;

  before(async () => {
    ({ server, config } = await stageApiServer((request, response) => void response.end(JSON.stringify({ path: request.url }))));
    server.on('secureConnection', () => (handshakes += 1));
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
