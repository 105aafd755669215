import {
  HEARTBEAT_SCHEMA,
  parseHeartbeatResponse,
  parseTransitionResponse,
  TRANSITION_SCHEMA,
  type SessionState,
  type SessionStatus,
} from '../../../core/session-wire.ts';
import type { IngressClient } from '../ingress/ingress-client.ts';
import { IngressFailure } from '../ingress/ingress-failure.ts';

const SHORTEST_TIMEOUT_MS = 1_000;

export interface SessionTiming {
  readonly leaseDurationMs: number;
  readonly requestTimeoutMs: number;
}

export interface SessionIdentity {
  readonly workerId: string;
  readonly sessionId: string;
  readonly generation: number;
}

/**
 * One registered session, as this side knows it. When an answer is lost the Control may or may not have counted the version
 * up, so the known version is a range of at most two; the lower one is tried first. Our session id and generation are ours
 * alone, therefore trying both can never touch another session.
 */
export class WorkerSession {
  readonly identity: SessionIdentity;
  readonly #client: IngressClient;
  readonly #timing: SessionTiming;
  #lowestVersion: number;
  #highestVersion: number;
  #leaseEndsAt: number;
  #status: SessionStatus = 'online';
  /** A status whose transition may have happened, although its answer never arrived. */
  #uncertainStatus: SessionStatus | null = null;

  constructor(client: IngressClient, timing: SessionTiming, registered: SessionIdentity & { version: number }, requestedAt: number) {
    this.identity = { workerId: registered.workerId, sessionId: registered.sessionId, generation: registered.generation };
    this.#client = client;
    this.#timing = timing;
    this.#lowestVersion = registered.version;
    this.#highestVersion = registered.version;
    this.#leaseEndsAt = requestedAt + timing.leaseDurationMs;
  }

  get status(): SessionStatus {
    return this.#status;
  }

  get version(): number {
    return this.#lowestVersion;
  }

  /** True when this status was asked for and the answer was lost. */
  mayHaveReached(status: SessionStatus): boolean {
    return this.#uncertainStatus === status;
  }

  /**
   * Counted by our monotonic clock from before the request left. The database starts its lease after that, so we never
   * believe in a lease that it has ended, whatever the clocks of the two machines say.
   */
  get leaseLeftMs(): number {
    return this.#leaseEndsAt - performance.now();
  }

  async heartbeat(availableSlots: number): Promise<SessionState> {
    const { leaseDurationMs } = this.#timing;
    return await this.#call('heartbeat', parseHeartbeatResponse, this.#status, (expectedVersion) => ({
      schema: HEARTBEAT_SCHEMA,
      generation: this.identity.generation,
      expectedVersion,
      availableSlots,
      leaseDurationMs,
    }));
  }

  async transition(status: 'draining' | 'offline'): Promise<SessionState> {
    return await this.#call('transition', parseTransitionResponse, status, (expectedVersion) => ({
      schema: TRANSITION_SCHEMA,
      generation: this.identity.generation,
      expectedVersion,
      status,
    }));
  }

  async #call(
    operation: 'heartbeat' | 'transition',
    parse: (body: Buffer) => SessionState,
    expectedStatus: SessionStatus,
    toBody: (expectedVersion: number) => object,
  ): Promise<SessionState> {
    const requestedAt = performance.now();
    const body = await this.#send(operation, expectedStatus, toBody);
    const state = this.#read(body, parse, expectedStatus);
    this.#lowestVersion = state.version;
    this.#highestVersion = state.version;
    this.#status = state.status;
    if (operation === 'heartbeat') this.#leaseEndsAt = requestedAt + this.#timing.leaseDurationMs;
    return state;
  }

  async #send(operation: 'heartbeat' | 'transition', status: SessionStatus, toBody: (expectedVersion: number) => object): Promise<Buffer> {
    let retriedStale = false;
    for (;;) {
      const version = this.#lowestVersion;
      try {
        return await this.#client.post({ sessionId: this.identity.sessionId, operation, body: toBody(version), timeoutMs: this.#timeoutMs() });
      } catch (error) {
        if (!(error instanceof IngressFailure)) throw error;
        if (error.facts.ambiguous) this.#noteUncertainty(status);
        if (error.facts.kind === 'fenced' && version < this.#highestVersion) {
          this.#lowestVersion = version + 1;
        } else if (error.facts.staleConnection && !retriedStale) {
          retriedStale = true;
        } else {
          throw error;
        }
      }
    }
  }

  #read(body: Buffer, parse: (body: Buffer) => SessionState, expectedStatus: SessionStatus): SessionState {
    const { workerId, sessionId, generation } = this.identity;
    try {
      const state = parse(body);
      const ours = state.workerId === workerId && state.sessionId === sessionId && state.generation === generation;
      if (ours && state.version > this.#lowestVersion && (state.status === expectedStatus || state.status === this.#uncertainStatus)) return state;
    } catch {
      // Told below: what the answer was does not belong into an event.
    }
    this.#noteUncertainty(expectedStatus);
    throw new IngressFailure(
      { kind: 'unavailable', status: 200, code: 'answer_not_understood', ambiguous: true, staleConnection: false, retryAfterMs: null },
      'the Control answered 200 with something that is not the state of this session',
    );
  }

  #noteUncertainty(status: SessionStatus): void {
    this.#highestVersion = Math.max(this.#highestVersion, this.#lowestVersion + 1);
    if (status !== this.#status) this.#uncertainStatus = status;
  }

  /** A request that hangs must leave time for another one before the lease ends. */
  #timeoutMs(): number {
    return Math.min(this.#timing.requestTimeoutMs, Math.max(SHORTEST_TIMEOUT_MS, this.leaseLeftMs / 2));
  }
}
