import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectTcp, createServer, type AddressInfo, type Socket } from 'node:net';
import { test } from 'node:test';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { CertificateAuthority } from '../pki/certificate-authority.ts';
import { listen } from './https-listener.ts';

test('a client whose handshake was given up gets no answer that it could take for the answer to its request', async () => {
  const authority = await CertificateAuthority.create('a test');
  const listener = await listen(await authority.issueServerCertificate('server', ['localhost'], []), authority.certificatePem, async () => assert.fail('expected no request to get through'), { handshakeTimeoutMs: 200 });
  const givenUp = once(listener.server, 'tlsClientError');

  // What is sent after the first flight waits until the server has lost its patience, as it does when the server was frozen meanwhile.
  const slow = createServer((near: Socket) => {
    const far = connectTcp(listener.port, '127.0.0.1');
    far.pipe(near);
    near.once('data', (first: Buffer) => {
      far.write(first);
      near.pause();
      void givenUp.then(() => near.pipe(far));
    });
    for (const socket of [near, far]) socket.on('error', () => undefined);
  }).listen(0, '127.0.0.1');
  await once(slow, 'listening');

  const client = connectTls({ port: (slow.address() as AddressInfo).port, host: '127.0.0.1', servername: 'localhost', ca: authority.certificatePem });
  client.write('GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const answer = await text(client).catch((error: unknown) => {
    assert.equal((error as NodeJS.ErrnoException).code, 'ECONNRESET');
    return '';
  });
  assert.equal(answer, '');
  slow.close();
  await listener.close();
});
