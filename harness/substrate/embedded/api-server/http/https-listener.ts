import { once } from 'node:events';
import { ServerResponse, type IncomingMessage } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { KeyAndCertificate } from '../pki/certificate-authority.ts';

/** As kube-apiserver's read header timeout, which bounds its handshakes as well. */
const HEADERS_TIMEOUT_MS = 32_000;
const REQUEST_TIMEOUT_MS = 60_000;
const KEEP_ALIVE_MS = 120_000;
const MAX_HEADER_BYTES = 64 * 1024;
const DRAIN_MS = 2_000;

export interface Listener {
  readonly server: Server;
  readonly port: number;
  close(): Promise<void>;
}

export interface ListenLimits {
  readonly handshakeTimeoutMs: number;
}

/** HTTPS on a free loopback port. Client certificates are asked for; who shows none may still have a token. */
export async function listen(identity: KeyAndCertificate, clientCaPem: string, serve: (message: IncomingMessage, response: ServerResponse) => Promise<void>, limits: ListenLimits = { handshakeTimeoutMs: HEADERS_TIMEOUT_MS }): Promise<Listener> {
  const server = createServer(
    {
      cert: identity.certificatePem,
      key: identity.privateKeyPem,
      ca: clientCaPem,
      requestCert: true,
      rejectUnauthorized: false,
      minVersion: 'TLSv1.2',
      ALPNProtocols: ['http/1.1'],
      handshakeTimeout: limits.handshakeTimeoutMs,
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
    },
    (message, response) => {
      // A client that vanishes in the middle is no fault of the server's.
      message.on('error', ignore);
      response.on('error', ignore);
      void serve(message, response);
    },
  );
  // An upgrade is served as any other request; who answers it in the ordinary way finds a plain connection.
  server.on('upgrade', (message: IncomingMessage, socket: Socket, head: Buffer) => {
    if (head.length > 0) socket.unshift(head);
    socket.on('error', ignore);
    const response = new ServerResponse(message);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.on('finish', () => socket.end());
    void serve(message, response);
  });
  // A server of HTTPS hands these on as errors of a client that speaks HTTP badly. Who was never heard must get no answer to a request: it
  // would be taken for the answer to the one that is still on its way.
  server.prependListener('tlsClientError', (_error, socket) => socket.destroy());
  server.on('clientError', (_error, socket) => {
    if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n400 Bad Request');
    else socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port, close: async () => close(server) };
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  const force = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  await closed;
  clearTimeout(force);
}

function ignore(): void {}
