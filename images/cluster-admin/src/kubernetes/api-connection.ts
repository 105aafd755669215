import { Agent, request as httpsRequest } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { KubernetesApiError } from './api-error.ts';
import type { ClusterAccess } from './cluster-access.ts';
import { toStatusError } from './status-response.ts';

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Absolute path with its segments already encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** How errors name this call: `PUT secrets/NAME in NAMESPACE`. */
  readonly operation: string;
}

export interface ApiConnection {
  /** The parsed JSON of a 2xx answer; anything else throws KubernetesApiError. */
  call(request: ApiRequest): Promise<unknown>;
  /** Closes every socket. Later and pending calls throw `client_disposed`. */
  dispose(): void;
  /** True when no call can be made any more. */
  readonly disposed: boolean;
}

export interface ApiConnectionOptions {
  readonly signal?: AbortSignal;
  /** Deadline of one call, from its start to the last byte of the answer. */
  readonly callTimeoutMs?: number;
}

const DEFAULT_CALL_TIMEOUT_MS = 10_000;
/** Two etcd objects of the largest permitted size and their JSON overhead. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
/** A session asks up to 28 reviews at once. A TLS handshake costs both sides more than several such answers: few connections serve them sooner. */
const MAX_SOCKETS = 8;

/**
 * A connection to one API server under one identity. It does what it is told,
 * once: no retry, no redirect, no proxy of the environment, no cache.
 */
export function openApiConnection(access: ClusterAccess, options: ApiConnectionOptions = {}): ApiConnection {
  return new HttpsApiConnection(access, options);
}

class HttpsApiConnection implements ApiConnection {
  readonly #server: string;
  readonly #agent: Agent;
  readonly #signal: AbortSignal | undefined;
  readonly #callTimeoutMs: number;
  readonly #closing = new AbortController();
  #headers: Record<string, string>;

  constructor(access: ClusterAccess, options: ApiConnectionOptions) {
    const { identity } = access;
    this.#server = access.server;
    this.#signal = options.signal;
    this.#callTimeoutMs = options.callTimeoutMs ?? DEFAULT_CALL_TIMEOUT_MS;
    this.#headers = { accept: 'application/json', 'user-agent': 'qinglong3-cluster-admin' };
    if (identity.kind === 'bearer') this.#headers['authorization'] = `Bearer ${identity.token}`;
    if (access.impersonateUser !== null) this.#headers['impersonate-user'] = access.impersonateUser;
    this.#agent = new Agent({
      keepAlive: true,
      maxSockets: MAX_SOCKETS,
      ca: access.caPem,
      minVersion: 'TLSv1.2',
      rejectUnauthorized: true,
      ...(access.tlsServerName === null ? {} : { servername: access.tlsServerName }),
      ...(identity.kind === 'client_certificate' ? { cert: identity.certificatePem, key: identity.privateKeyPem } : {}),
    });
  }

  async call(request: ApiRequest): Promise<unknown> {
    const { operation } = request;
    if (this.disposed) throw disposedError(operation);
    const timeout = AbortSignal.timeout(this.#callTimeoutMs);
    const ends = [timeout, this.#closing.signal, ...(this.#signal === undefined ? [] : [this.#signal])];
    try {
      this.#signal?.throwIfAborted();
      const { status, text } = await this.#exchange(request, AbortSignal.any(ends));
      if (status < 200 || status > 299) throw toStatusError(operation, status, text);
      return parseJson(operation, text);
    } catch (error) {
      if (error instanceof KubernetesApiError) throw error;
      if (this.#closing.signal.aborted) throw disposedError(operation);
      if (this.#signal?.aborted === true) {
        throw new KubernetesApiError({ code: 'aborted', operation, detail: 'the caller aborted', cause: this.#signal.reason });
      }
      if (timeout.aborted) {
        throw new KubernetesApiError({ code: 'timeout', operation, detail: `no complete answer within ${this.#callTimeoutMs} ms` });
      }
      throw new KubernetesApiError({ code: 'network', operation, detail: networkDetail(error), cause: error });
    }
  }

  get disposed(): boolean {
    return this.#closing.signal.aborted;
  }

  dispose(): void {
    this.#closing.abort();
    this.#headers = {};
    this.#agent.destroy();
  }

  #exchange(request: ApiRequest, signal: AbortSignal): Promise<{ status: number; text: string }> {
    const query = request.query === undefined ? '' : `?${new URLSearchParams(request.query).toString()}`;
    const body = request.body === undefined ? undefined : Buffer.from(JSON.stringify(request.body));
    return new Promise((resolve, reject) => {
      const call = httpsRequest(
        this.#server + request.path + query,
        {
          method: request.method,
          agent: this.#agent,
          signal,
          headers: {
            ...this.#headers,
            ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': body.byteLength }),
          },
        },
        (response) => {
          readText(response, request.operation).then((text) => {
            resolve({ status: response.statusCode ?? 0, text });
          }, reject);
        },
      );
      call.on('error', reject);
      call.on('close', () => body?.fill(0));
      call.end(body);
    });
  }
}

async function readText(response: IncomingMessage, operation: string): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes > MAX_ANSWER_BYTES) {
      response.destroy();
      throw new KubernetesApiError({
        code: 'invalid_response',
        operation,
        detail: `answer is larger than ${MAX_ANSWER_BYTES} bytes`,
      });
    }
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString('utf8');
  for (const chunk of chunks) chunk.fill(0);
  return text;
}

function parseJson(operation: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own message quotes the text.
    throw new KubernetesApiError({ code: 'invalid_response', operation, detail: 'answer is not JSON' });
  }
}

function disposedError(operation: string): KubernetesApiError {
  return new KubernetesApiError({ code: 'client_disposed', operation, detail: 'this client has been disposed' });
}

function networkDetail(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return `no answer: ${typeof code === 'string' ? code : typeof message === 'string' ? message : 'unknown failure'}`;
}
