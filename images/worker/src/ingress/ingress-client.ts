import { Agent, request, type RequestOptions } from 'node:https';
import type { ClientRequest, IncomingMessage } from 'node:http';

import { sessionPath } from '../../../core/ingress-error.ts';
import type { SessionOperation } from '../../../core/session-wire.ts';
import { systemCode, toWorkerError } from '../errors.ts';
import type { RequestAuthority } from '../identity/request-authority.ts';
import { IngressFailure, toFailure, type RawAnswer } from './ingress-failure.ts';

const MAX_ANSWER_BYTES = 65_536;

export interface IngressClientOptions {
  readonly origin: string;
  readonly workerId: string;
  readonly readAuthority: () => Promise<RequestAuthority>;
}

export interface Call {
  readonly sessionId: string;
  readonly operation: SessionOperation;
  readonly body: object;
  readonly timeoutMs: number;
}

/**
 * Requests to the worker ingress over one keep-alive connection, TLS 1.3, one at a time. Token and identity are read for each
 * request; a connection made with another identity or trust anchor is closed first, so there is never a second one.
 */
export class IngressClient {
  readonly #options: IngressClientOptions;
  #agent: Agent | null = null;
  #connectionKey: string | null = null;
  #closed = false;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: IngressClientOptions) {
    this.#options = options;
  }

  /** The body of the 200 answer; otherwise rejects with IngressFailure. */
  post(call: Call): Promise<Buffer> {
    const result = this.#last.then(() => this.#post(call));
    this.#last = result.catch(() => {});
    return result;
  }

  /** Ends the connection and what is in flight on it; nothing is sent any more. */
  close(): void {
    this.#closed = true;
    this.#disconnect();
  }

  #disconnect(): void {
    this.#agent?.destroy();
    this.#agent = null;
  }

  async #post(call: Call): Promise<Buffer> {
    const authority = await this.#options.readAuthority().catch((thrown: unknown) => {
      const { code, message } = toWorkerError(thrown);
      throw localFailure(code, message, thrown);
    });
    try {
      if (this.#closed) throw localFailure('client_closed', 'the process is ending');
      const answer = await this.#exchange(call, authority);
      if (answer.status === 200) return answer.body;
      throw toFailure(answer);
    } finally {
      authority.token.fill(0);
    }
  }

  async #exchange(call: Call, authority: RequestAuthority): Promise<RawAnswer> {
    const deadline = AbortSignal.timeout(Math.ceil(call.timeoutMs));
    const sent = request(this.#requestOptions(call, authority));
    let connected = sent.reusedSocket;
    sent.once('socket', (socket) => {
      connected ||= sent.reusedSocket;
      socket.once('secureConnect', () => {
        connected = true;
      });
    });
    const abort = (): void => {
      sent.destroy(new Error('the request timed out'));
    };
    deadline.addEventListener('abort', abort, { once: true });
    try {
      const response = await responseOf(sent, Buffer.from(JSON.stringify(call.body)));
      return { status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'], body: await bodyOf(response) };
    } catch (cause) {
      throw connectionFailure(cause, { timedOut: deadline.aborted, connected, reused: sent.reusedSocket });
    } finally {
      deadline.removeEventListener('abort', abort);
    }
  }

  #requestOptions(call: Call, authority: RequestAuthority): RequestOptions {
    return {
      ...connectionOptions(this.#options.origin, authority),
      agent: this.#agentFor(authority.connectionKey),
      method: 'POST',
      path: sessionPath(this.#options.workerId, call.sessionId, call.operation),
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        // A header is a string, so this copy of the token lives until it is collected; the buffer is zeroed.
        authorization: `Worker ${authority.token.toString('latin1')}`,
      },
    };
  }

  #agentFor(connectionKey: string): Agent {
    if (this.#agent !== null && this.#connectionKey === connectionKey) return this.#agent;
    this.#disconnect();
    this.#connectionKey = connectionKey;
    // No cached TLS sessions: a resumed handshake would present no certificate and so escape a revocation.
    this.#agent = new Agent({ keepAlive: true, maxSockets: 1, maxTotalSockets: 1, maxFreeSockets: 1, maxCachedSessions: 0 });
    return this.#agent;
  }
}

function localFailure(code: string, message: string, cause?: unknown): IngressFailure {
  return new IngressFailure({ kind: 'local', status: null, code, ambiguous: false, staleConnection: false, retryAfterMs: null }, message, { cause });
}

function connectionOptions(origin: string, authority: RequestAuthority): RequestOptions {
  const { hostname, port } = new URL(origin);
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? 443 : Number(port),
    ca: authority.trustAnchorPem,
    cert: authority.certificatePem,
    key: authority.privateKeyPem,
    minVersion: 'TLSv1.3',
    maxVersion: 'TLSv1.3',
    rejectUnauthorized: true,
  };
}

function responseOf(sent: ClientRequest, body: Buffer): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  sent.once('response', resolve);
  // Stays for good: a connection may fail once more after it has failed.
  sent.on('error', reject);
  sent.setHeader('content-length', body.length);
  sent.end(body);
  return promise;
}

async function bodyOf(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_ANSWER_BYTES) throw new Error(`expected an answer of at most ${MAX_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function connectionFailure(cause: unknown, seen: { timedOut: boolean; connected: boolean; reused: boolean }): IngressFailure {
  const system = systemCode(cause);
  const code = seen.timedOut ? 'request_timed_out' : (system ?? 'connection_failed');
  const closed = system === 'ECONNRESET' || system === 'EPIPE';
  const facts = { kind: 'unavailable', status: null, code, ambiguous: seen.connected, staleConnection: !seen.timedOut && seen.reused && closed, retryAfterMs: null } as const;
  return new IngressFailure(facts, `the Control could not be asked: ${code}`, { cause });
}
