import { request as httpRequest } from 'node:http';
import { Agent, request as httpsRequest, type RequestOptions } from 'node:https';
import { connect, type ConnectionOptions } from 'node:tls';
import { sessionPath } from '../../core/ingress-error.ts';
import type { TestIdentity } from './certificate-authority.ts';

export interface IngressReply {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: Record<string, unknown>;
}

export interface IngressCall {
  readonly workerId: string;
  readonly sessionId: string;
  readonly operation: string;
  readonly token: string | null;
  readonly body: unknown;
  readonly headers?: Record<string, string>;
  readonly path?: string;
  readonly method?: string;
}

/** Speaks to the ingress over mutual TLS, a connection for each call unless it was made with `keepAlive`. */
export class IngressClient implements Disposable {
  readonly #options: RequestOptions;
  readonly #agent: Agent;

  constructor(options: { host: string; port: number; caPem: string; identity: TestIdentity; keepAlive?: boolean }) {
    this.#agent = new Agent({ keepAlive: options.keepAlive ?? false, maxSockets: options.keepAlive === true ? 1 : Infinity });
    this.#options = {
      host: options.host,
      port: options.port,
      ca: options.caPem,
      cert: options.identity.certificatePem,
      key: options.identity.privateKeyPem,
      agent: this.#agent,
    };
  }

  call(call: IngressCall): Promise<IngressReply> {
    const { promise, resolve, reject } = Promise.withResolvers<IngressReply>();
    const request = this.open(call);
    request.once('error', reject);
    request.once('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: JSON.parse(Buffer.concat(chunks).toString()) }));
      response.once('error', reject);
    });
    request.end(typeof call.body === 'string' || call.body instanceof Buffer ? call.body : JSON.stringify(call.body));
    return promise;
  }

  /** The request without its body, for those who want to send it slowly or never. */
  open(call: IngressCall): ReturnType<typeof httpsRequest> {
    const path = call.path ?? sessionPath(call.workerId, call.sessionId, call.operation);
    const authorization: Record<string, string> = call.token === null ? {} : { authorization: `Worker ${call.token}` };
    const headers = { 'content-type': 'application/json', ...authorization, ...call.headers };
    return httpsRequest({ ...this.#options, path, method: call.method ?? 'POST', headers });
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}

/** True when a request through a handshake with these options is answered, false when the connection ends instead. */
export function isServed(options: ConnectionOptions): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(options, () => socket.write('GET / HTTP/1.1\r\nhost: ingress\r\nconnection: close\r\n\r\n'));
  socket.once('data', () => {
    resolve(true);
    socket.destroy();
  });
  socket.once('error', () => resolve(false)).once('close', () => resolve(false));
  return promise;
}

/** The status of a plain HTTP health path. */
export function healthStatus(host: string, port: number, path: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const request = httpRequest({ host, port, path, agent: false }, (response) => {
    response.resume();
    resolve(response.statusCode ?? 0);
  });
  request.once('error', reject).end();
  return promise;
}
