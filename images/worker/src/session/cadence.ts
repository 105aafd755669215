import { IngressFailure, type FailureFacts } from '../ingress/ingress-failure.ts';
import { Backoff } from './backoff.ts';
import type { Intake } from './intake.ts';
import { leaseExpired, sessionFenced } from './session-end.ts';
import type { WorkerSession } from './worker-session.ts';

export interface CadenceOptions {
  readonly session: WorkerSession;
  readonly intake: Intake;
  readonly cadenceMs: number;
  readonly heartbeatIntervalMs: number;
  readonly leaseDurationMs: number;
  readonly firstHeartbeatAtOnce: boolean;
  readonly onHeartbeatFailed: (facts: FailureFacts, failedInRow: number) => void;
  readonly onHeartbeatRecovered: (failedInRow: number) => void;
  /** The session is over; called at most once. */
  readonly onEnd: (error: Error) => void;
}

/** Looks, at every tick, at what is due: the end of the lease first, then a heartbeat. */
export class Cadence {
  readonly #options: CadenceOptions;
  readonly #backoff: Backoff;
  #timer: NodeJS.Timeout | null = null;
  #dueAt: number;
  #inFlight: Promise<void> | null = null;
  #failedInRow = 0;
  #ended = false;

  constructor(options: CadenceOptions) {
    this.#options = options;
    this.#backoff = new Backoff(Math.max(options.cadenceMs, 1_000), options.heartbeatIntervalMs);
    this.#dueAt = performance.now() + (options.firstHeartbeatAtOnce ? 0 : options.heartbeatIntervalMs);
  }

  start(): void {
    this.#timer = setInterval(() => this.#tick(), this.#options.cadenceMs).unref();
  }

  /** No tick after this, and no heartbeat in flight once it returns. */
  async stop(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#inFlight;
  }

  /** One heartbeat if one is due, for a drain that takes long; a fence rejects, other failures are only reported. */
  async heartbeatIfDue(): Promise<void> {
    if (performance.now() >= this.#dueAt) await this.#heartbeat();
  }

  #tick(): void {
    if (this.#ended) return;
    if (this.#options.session.leaseLeftMs <= 0) {
      this.#end(leaseExpired(this.#options.session.identity.sessionId, this.#options.leaseDurationMs));
    } else if (this.#inFlight === null && performance.now() >= this.#dueAt) {
      this.#inFlight = this.#heartbeat()
        .catch((error: unknown) => this.#end(error as Error))
        .finally(() => {
          this.#inFlight = null;
        });
    }
  }

  async #heartbeat(): Promise<void> {
    const { session, intake, heartbeatIntervalMs, onHeartbeatFailed, onHeartbeatRecovered } = this.#options;
    const startedAt = performance.now();
    try {
      await session.heartbeat(intake.offeredSlots);
      this.#dueAt = startedAt + heartbeatIntervalMs;
      if (this.#failedInRow > 0) onHeartbeatRecovered(this.#failedInRow);
      this.#failedInRow = 0;
      this.#backoff.reset();
      intake.unblock();
    } catch (error) {
      if (!(error instanceof IngressFailure)) throw error;
      this.#failedInRow += 1;
      this.#dueAt = performance.now() + this.#backoff.next(error.facts.retryAfterMs);
      if (error.facts.kind === 'blocked') intake.block();
      onHeartbeatFailed(error.facts, this.#failedInRow);
      if (error.facts.kind === 'fenced') throw sessionFenced(session.identity.sessionId, 'heartbeat');
    }
  }

  #end(error: Error): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#options.intake.stop();
    this.#options.onEnd(error);
  }
}
