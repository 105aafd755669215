import type { KubeConfig } from '@kubernetes/client-node';
import { createServer, request as httpsRequest, Agent, type Server } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createSecureContext } from 'node:tls';
import { once } from 'node:events';
import type { Authority } from '../../pki/authority.ts';

/**
 * What happens to one request on its way. `hold` never answers and never forwards; `lose-response` forwards and cuts the connection
 * instead of answering; `cut` does so after the first piece of the answer; a status is answered without forwarding.
 */
export type Fate = 'forward' | 'hold' | 'lose-response' | 'cut' | { readonly status: number; /** Seconds, as the header says it. */ readonly retryAfter?: string };

export interface PassingRequest {
  readonly method: string;
  /** Path without the query. */
  readonly path: string;
  /** Neither a bearer token nor an impersonated user: the run's administrator asks. */
  readonly isHarness: boolean;
}

/** May first do something of its own (another writer's write), then says what becomes of the request. */
export type Fault = (request: PassingRequest) => Promise<Fate>;

/**
 * Stands between a client and the API server, over TLS on loopback, to provoke what a network and other writers do by chance.
 * Requests that carry a bearer token keep it; others go on under the run's administrator, with their impersonation headers.
 */
export class FaultProxy {
  readonly #server: Server;
  readonly #upstream: URL;
  readonly #administrator: Agent;
  readonly #anonymous: Agent;
  readonly #caPem: string;
  #fault: Fault = () => Promise.resolve('forward');
  #onAnswer: (request: PassingRequest, status: number) => void = () => undefined;

  private constructor(server: Server, config: KubeConfig, caPem: string) {
    const cluster = config.getCurrentCluster();
    const user = config.getCurrentUser();
    if (cluster?.caData === undefined || user?.certData === undefined || user.keyData === undefined) {
      throw new TypeError('expected a kubeconfig with the cluster’s CA and a client certificate as data');
    }
    const decode = (base64: string): Buffer => Buffer.from(base64, 'base64');
    this.#server = server;
    this.#upstream = new URL(cluster.server);
    // a connection for each request: one that is used again may be closed by its server at that very moment, and no fault was asked for
    const [ca, cert, key] = [cluster.caData, user.certData, user.keyData].map(decode);
    this.#anonymous = new Agent({ keepAlive: false, secureContext: createSecureContext({ ca }) });
    this.#administrator = new Agent({ keepAlive: false, secureContext: createSecureContext({ ca, cert, key }) });
    this.#caPem = caPem;
  }

  static async start(config: KubeConfig, authority: Authority): Promise<FaultProxy> {
    const identity = await authority.issueServer('ql3-fault-proxy', { dns: ['localhost'], ip: ['127.0.0.1'] });
    // a client's idle connection is the client's to close, for the same reason
    const server = createServer({ cert: identity.certificatePem, key: identity.privateKeyPem, minVersion: 'TLSv1.2', keepAliveTimeout: 0 });
    const proxy = new FaultProxy(server, config, authority.certificatePem);
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      void proxy.#pass(request, response).catch(() => response.destroy());
    });
    server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => proxy.#upgrade(request, socket, head));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  /** Applies to every request from now on, until another is set. */
  inject(fault: Fault): void {
    this.#fault = fault;
  }

  /** Hears the status of every answer that passes, until another listens. */
  listen(onAnswer: (request: PassingRequest, status: number) => void): void {
    this.#onAnswer = onAnswer;
  }

  /** Where a client must look, and whom it must trust, to come through here. */
  get endpoint(): { readonly server: string; readonly caPem: string } {
    const { port } = this.#server.address() as AddressInfo;
    return { server: `https://127.0.0.1:${port}`, caPem: this.#caPem };
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
    this.#anonymous.destroy();
    this.#administrator.destroy();
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const url = new URL(request.url ?? '/', this.#upstream);
    const passing = { method: request.method ?? 'GET', path: url.pathname, isHarness: request.headers.authorization === undefined && request.headers['impersonate-user'] === undefined };
    const fate = await this.#fault(passing);
    if (fate === 'hold') return;
    if (typeof fate === 'object') {
      const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message: 'provoked by the fault proxy', code: fate.status };
      response.writeHead(fate.status, { 'content-type': 'application/json', ...(fate.retryAfter === undefined ? {} : { 'retry-after': fate.retryAfter }) });
      response.end(JSON.stringify(status));
      return;
    }
    const { host: _host, connection: _connection, ...headers } = request.headers;
    const upstream = httpsRequest(url, {
      method: request.method,
      headers,
      agent: headers.authorization === undefined ? this.#administrator : this.#anonymous,
    });
    upstream.on('error', () => response.destroy());
    upstream.end(Buffer.concat(chunks));
    const [answer] = (await once(upstream, 'response')) as [IncomingMessage];
    this.#onAnswer(passing, answer.statusCode ?? 0);
    if (fate === 'lose-response') {
      for await (const _chunk of answer);
      response.destroy();
      return;
    }
    const { connection: _hop, 'keep-alive': _hint, ...passed } = answer.headers;
    response.writeHead(answer.statusCode ?? 502, passed);
    if (fate === 'cut') answer.once('data', () => response.destroy());
    answer.on('error', () => response.destroy());
    response.on('close', () => answer.destroy());
    answer.pipe(response);
  }

  /** What becomes another protocol passes as it is. */
  #upgrade(request: IncomingMessage, socket: Socket, head: Buffer): void {
    const { host: _host, ...headers } = request.headers;
    const agent = headers.authorization === undefined ? this.#administrator : this.#anonymous;
    const upstream = httpsRequest(new URL(request.url ?? '/', this.#upstream), { method: request.method, headers, agent });
    socket.on('error', () => upstream.destroy());
    upstream.on('error', () => socket.destroy());
    upstream.on('response', () => socket.destroy());
    upstream.on('upgrade', (answer: IncomingMessage, other: Socket, first: Buffer) => {
      other.on('error', () => socket.destroy());
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${answer.rawHeaders.map((text, index) => (index % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join('')}\r\n`);
      socket.write(first);
      other.write(head);
      other.pipe(socket);
      socket.pipe(other);
    });
    upstream.end();
  }
}
