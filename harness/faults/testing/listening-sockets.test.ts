import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { test } from 'node:test';
import { listeningSockets, listeningSocketsOf } from './listening-sockets.ts';

test('a port that a process listens on is seen, and is not when it has been given back', { skip: process.platform !== 'linux' && 'reads /proc' }, async () => {
  for (const host of ['127.0.0.1', '::1']) {
    const server = createServer().listen(0, host);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const [inode] = [...listeningSocketsOf([process.pid])].find(([, each]) => each === port) ?? [];
    assert.ok(inode !== undefined, `expected port ${port} of ${host} among the sockets of this process`);
    assert.deepEqual([...listeningSocketsOf([1, 2 ** 22])].filter(([, each]) => each === port), []);
    server.close();
    await once(server, 'close');
    assert.ok(!listeningSockets().has(inode));
  }
});
