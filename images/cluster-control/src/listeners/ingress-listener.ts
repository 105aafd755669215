import { createServer, type Server } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { EventLog } from '../events/event-log.ts';
import type { TrustMaterial } from '../trust/trust-material.ts';
import { rememberVerifiedPeer } from './client-certificate.ts';
import { listen } from './listen.ts';

export const HANDSHAKE_TIMEOUT_MS = 10_000;
const HEADERS_TIMEOUT_MS = 10_000;
/** Longer than two of the Worker's default heartbeat intervals, so that its connection outlives them. */
const KEEP_ALIVE_TIMEOUT_MS = 75_000;
/** Node's own limit must come after the request deadline, which answers with a code. */
const REQUEST_BACKSTOP_MS = 30_000;

export interface IngressListener {
  readonly port: number;
  /** Later handshakes use the new material; connections that stand are told to close with their next answer. */
  replaceTrust(material: TrustMaterial): void;
  /** True when a connection was made under the material that is in force. */
  isCurrent(socket: Socket): boolean;
  stopAccepting(): Promise<void>;
  closeIdle(): void;
  closeAll(): void;
}

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** Opens HTTPS that speaks TLS 1.3 alone and serves only peers whose client certificate was verified. */
export async function openIngressListener(
  address: { readonly host: string; readonly port: number },
  material: TrustMaterial,
  handler: RequestHandler,
  log: EventLog,
): Promise<IngressListener> {
  const server = createServer({
    ...material.contextOptions,
    requestCert: true,
    rejectUnauthorized: true,
    handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_BACKSTOP_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    connectionsCheckingInterval: 5_000,
    requireHostHeader: true,
  }, handler);
  let trustGeneration = 0;
  const generations = new WeakMap<Socket, number>();
  server.on('checkContinue', handler);
  server.on('connection', rememberRemotePort);
  server.on('secureConnection', (socket) => {
    generations.set(socket, trustGeneration);
    logHandshake(socket, log);
  });
  server.on('tlsClientError', (error, socket) => logRefusedHandshake(error, socket, log));
  const port = await listen(server, address);
  return {
    port,
    replaceTrust(next) {
      server.setSecureContext(next.contextOptions);
      trustGeneration += 1;
    },
    isCurrent: (socket) => generations.get(socket) === trustGeneration,
    stopAccepting: () => stopAccepting(server),
    closeIdle: () => server.closeIdleConnections(),
    closeAll: () => server.closeAllConnections(),
  };
}

/** A socket answers for its peer only while it is open, unless it was asked then. */
function rememberRemotePort(socket: Socket): void {
  void socket.remotePort;
}

function remotePortOf(socket: TLSSocket): number | null {
  const underlying = (socket as { _parent?: Socket })._parent;
  return socket.remotePort ?? underlying?.remotePort ?? null;
}

function logHandshake(socket: TLSSocket, log: EventLog): void {
  const peer = rememberVerifiedPeer(socket);
  if (peer !== null) log.info('tls_handshake', { peerPort: socket.remotePort ?? null, ...peer });
}

/** The verification's own reason, such as CERT_REVOKED, says more than the reset that follows it. */
function logRefusedHandshake(error: Error & { code?: string }, socket: TLSSocket, log: EventLog): void {
  const reason = socket.authorizationError ?? error.code ?? 'handshake_failed';
  log.warn('tls_handshake_refused', { peerPort: remotePortOf(socket), reason: String(reason) });
}

function stopAccepting(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
