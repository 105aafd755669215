import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';

import {
  HEARTBEAT_RESULT_SCHEMA,
  parseHeartbeatRequest,
  parseRegisterRequest,
  parseTransitionRequest,
  REGISTER_RESULT_SCHEMA,
  TRANSITION_RESULT_SCHEMA,
  type SessionOperation,
  type SessionStatus,
} from '../../core/session-wire.ts';
import type { IssuedPair } from './run-authority.ts';
import { Recorder } from './recorder.ts';

/** What can be scripted: transitions by the status that they ask for. */
export type Step = 'register' | 'heartbeat' | 'draining' | 'offline';

/** How the next request of a step is treated; `lost` does what was asked and then cuts the connection. */
export type Behaviour = { readonly status: number; readonly body?: string; readonly headers?: Record<string, string> } | 'hang' | 'reset' | 'lost' | 'garbage';

export interface SeenRequest {
  readonly step: string;
  readonly sessionId: string;
  readonly body: Record<string, unknown>;
  readonly authorization: string;
  readonly fingerprint: string;
  readonly protocol: string;
  readonly connection: number;
  readonly status: number | null;
}

interface Row {
  sessionId: string;
  generation: number;
  version: number;
  status: SessionStatus;
  leaseExpiresAtMs: number;
}

/** The worker ingress as a real TLS 1.3 server with required client certificates and one session row in memory. */
export class IngressDouble {
  readonly seen = new Recorder<SeenRequest>();
  readonly #server: Server;
  readonly #scripted = new Map<string, Behaviour[]>();
  readonly #standing = new Map<string, Behaviour>();
  readonly #connections = new WeakMap<object, number>();
  connectionCount = 0;
  row: Row | null = null;

  private constructor(pair: IssuedPair, clientCaPem: string) {
    this.#server = createServer(
      { cert: pair.certificatePem, key: pair.privateKeyPem, ca: clientCaPem, requestCert: true, rejectUnauthorized: true, minVersion: 'TLSv1.3', keepAliveTimeout: 60_000 },
      (request, response) => void this.#serve(request, response),
    );
    this.#server.on('secureConnection', (socket: TLSSocket) => {
      this.connectionCount += 1;
      this.#connections.set(socket, this.connectionCount);
      socket.on('error', () => {});
    });
  }

  static async start(pair: IssuedPair, clientCaPem: string): Promise<IngressDouble> {
    const double = new IngressDouble(pair, clientCaPem);
    await double.listen(0);
    return double;
  }

  async listen(port: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#server.once('error', reject);
    this.#server.listen(port, '127.0.0.1', resolve);
    await promise;
  }

  get origin(): string {
    return `https://localhost:${this.port}`;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Queues behaviours for the next requests of this step. */
  script(step: Step, ...behaviours: Behaviour[]): void {
    this.#scripted.set(step, [...(this.#scripted.get(step) ?? []), ...behaviours]);
  }

  /** From now on, until `null`. */
  always(step: Step, behaviour: Behaviour | null): void {
    if (behaviour === null) this.#standing.delete(step);
    else this.#standing.set(step, behaviour);
  }

  async stop(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    this.#server.closeAllConnections();
    await promise;
  }

  requests(step: Step): SeenRequest[] {
    return this.seen.all.filter((request) => request.step === step);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // asked now: a socket that has closed in the meantime tells nothing of its peer
    const from = this.#connectionOf(request);
    const body = await bodyOf(request);
    // whoever was killed in the middle of a request has asked for nothing
    if (body === null) return;
    const [, , , , , , , sessionId = '', operation = ''] = (request.url ?? '').split('/');
    const asked = JSON.parse(body.toString('utf8')) as Record<string, unknown>;
    const step = typeof asked['status'] === 'string' ? asked['status'] : operation;
    const behaviour = this.#scripted.get(step)?.shift() ?? this.#standing.get(step) ?? null;
    const answer = this.#answer(operation as SessionOperation, sessionId, body, behaviour);
    this.seen.add({ step, sessionId, body: asked, status: answer?.status ?? null, ...from });
    if (answer === null) {
      if (behaviour !== 'hang') request.socket.destroy();
      return;
    }
    response.writeHead(answer.status, { 'content-type': 'application/json', ...(typeof behaviour === 'object' ? behaviour?.headers : {}) });
    response.end(answer.body);
  }

  /** Null when nothing is to be answered. */
  #answer(operation: SessionOperation, sessionId: string, body: Buffer, behaviour: Behaviour | null): { status: number; body: string } | null {
    if (behaviour === 'hang' || behaviour === 'reset') return null;
    if (behaviour === 'garbage') return { status: 200, body: '<html>proxy</html>' };
    if (behaviour !== null && behaviour !== 'lost') return { status: behaviour.status, body: behaviour.body ?? '{}' };
    const row = this.#change(operation, sessionId, body);
    if (behaviour === 'lost') return null;
    return row === null ? { status: 409, body: '{"code":"worker_session_fenced"}' } : { status: 200, body: JSON.stringify({ schema: SCHEMAS[operation], workerId: WORKER_ID, ...row }) };
  }

  #change(operation: SessionOperation, sessionId: string, body: Buffer): (Row & { replacedSession?: unknown }) | null {
    if (operation === 'register') return this.#register(sessionId, body);
    const claim = operation === 'heartbeat' ? parseHeartbeatRequest(body) : parseTransitionRequest(body);
    const row = this.row;
    const current = row !== null && row.sessionId === sessionId && row.generation === claim.generation && row.version === claim.expectedVersion;
    if (!current || row.status === 'offline' || row.leaseExpiresAtMs <= Date.now()) return null;
    if ('status' in claim) {
      if (row.status === claim.status) return null;
      this.row = { ...row, version: row.version + 1, status: claim.status };
    } else {
      this.row = { ...row, version: row.version + 1, leaseExpiresAtMs: Date.now() + claim.leaseDurationMs };
    }
    return this.row;
  }

  #register(sessionId: string, body: Buffer): (Row & { replacedSession: unknown }) | null {
    const { leaseDurationMs } = parseRegisterRequest(body);
    const before = this.row;
    if (before?.sessionId === sessionId) return before.status === 'offline' || before.leaseExpiresAtMs <= Date.now() ? null : { ...before, replacedSession: null };
    this.row = {
      sessionId,
      generation: (before?.generation ?? 0) + 1,
      version: before === null ? 0 : before.version + 1,
      status: 'online',
      leaseExpiresAtMs: Date.now() + leaseDurationMs,
    };
    const replacedSession = before === null ? null : { sessionId: before.sessionId, generation: before.generation, version: before.version, status: before.status };
    return { ...this.row, replacedSession };
  }

  #connectionOf(request: IncomingMessage): Pick<SeenRequest, 'authorization' | 'fingerprint' | 'protocol' | 'connection'> {
    const socket = request.socket as TLSSocket;
    return {
      authorization: request.headers.authorization ?? '',
      fingerprint: (socket.getPeerCertificate().fingerprint256 ?? '').replaceAll(':', '').toLowerCase(),
      protocol: socket.getProtocol() ?? '',
      connection: this.#connections.get(socket) ?? 0,
    };
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    return Buffer.concat(chunks);
  } catch {
    return null;
  }
}

export const WORKER_ID = 'worker-under-test';

const SCHEMAS: Readonly<Record<SessionOperation, string>> = { register: REGISTER_RESULT_SCHEMA, heartbeat: HEARTBEAT_RESULT_SCHEMA, transition: TRANSITION_RESULT_SCHEMA };
