import type { WorkerConfiguration } from '../configuration/worker-configuration.ts';
import { WorkerError } from '../errors.ts';
import type { FailureFacts } from '../ingress/ingress-failure.ts';
import type { IngressClient } from '../ingress/ingress-client.ts';
import type { Journal } from '../journal/journal.ts';
import type { AbandonReason } from '../journal/journal-record.ts';
import type { EventLog } from '../process/event-log.ts';
import { Cadence } from './cadence.ts';
import type { Capabilities } from './capabilities.ts';
import { drain } from './drain.ts';
import { Intake } from './intake.ts';
import { register } from './registration.ts';
import type { WorkerSession } from './worker-session.ts';

export interface SessionContext {
  readonly configuration: WorkerConfiguration;
  readonly capabilities: Capabilities;
  readonly client: IngressClient;
  readonly journal: Journal;
  readonly log: EventLog;
}

/** The one session of this process, from registration to its end, with its events and its journal records. */
export class SessionOwner {
  readonly #context: SessionContext;
  readonly #session: WorkerSession;
  readonly #cadence: Cadence;
  readonly #intake: Intake;

  private constructor(context: SessionContext, session: WorkerSession, leaseBegunEarlier: boolean, onEnd: (error: Error) => void) {
    const { configuration, capabilities, log } = context;
    this.#context = context;
    this.#session = session;
    this.#intake = new Intake(capabilities.maxConcurrentRuns);
    this.#cadence = new Cadence({
      session,
      intake: this.#intake,
      cadenceMs: configuration.cadenceMs,
      heartbeatIntervalMs: configuration.heartbeatIntervalMs,
      leaseDurationMs: configuration.sessionLeaseDurationMs,
      firstHeartbeatAtOnce: leaseBegunEarlier,
      onHeartbeatFailed: (facts, failedInRow) => log.warn('heartbeat_failed', { sessionId: session.identity.sessionId, generation: session.identity.generation, ...said(facts), blocked: facts.kind === 'blocked', failedInRow }),
      onHeartbeatRecovered: (failedInRow) => log.info('runtime_diagnostic', { code: 'heartbeat_recovered', sessionId: session.identity.sessionId, generation: session.identity.generation, failedInRow }),
      onEnd,
    });
  }

  /** Null when told to stop before a session was registered. `onEnd` is told once when the session is lost. */
  static async register(context: SessionContext, signal: AbortSignal, onEnd: (error: Error) => void): Promise<SessionOwner | null> {
    const { configuration, log } = context;
    const registered = await register({
      ...context,
      workerId: configuration.workerId,
      timing: { leaseDurationMs: configuration.sessionLeaseDurationMs, requestTimeoutMs: configuration.requestTimeoutMs },
      onRetry: (facts, retryInMs, sessionId) => log.warn('runtime_diagnostic', { code: 'registration_deferred', sessionId, reason: facts.code, status: facts.status, retryInMs }),
      signal,
    });
    if (registered === null) return null;
    const { sessionId, generation, version, leaseExpiresAtMs, replacedSession } = registered.response;
    log.info('registered', { sessionId, generation, version, leaseExpiresAtMs, replacedSessionId: replacedSession?.sessionId ?? null });
    return new SessionOwner(context, registered.session, registered.leaseBegunEarlier, onEnd);
  }

  get sessionId(): string {
    return this.#session.identity.sessionId;
  }

  get generation(): number {
    return this.#session.identity.generation;
  }

  start(): void {
    this.#cadence.start();
    this.#context.log.info('active', { sessionId: this.sessionId, generation: this.generation, availableSlots: this.#intake.availableSlots });
  }

  async drain(): Promise<{ offlineConfirmed: boolean }> {
    const { configuration, journal, log } = this.#context;
    return await drain({
      session: this.#session,
      intake: this.#intake,
      cadence: this.#cadence,
      journal,
      drainTimeoutMs: configuration.drainTimeoutMs,
      drainPollMs: configuration.drainPollMs,
      onDeferred: (deferral) => log.warn('shutdown_deferred', { sessionId: this.sessionId, ...deferral }),
    });
  }

  /** Stops at once and records how the session was lost, for a process that is about to fail. */
  async abandon(error: unknown): Promise<void> {
    await this.#cadence.stop();
    const reason = reasonOf(error);
    if (reason !== null) await this.#context.journal.append({ type: 'abandoned', sessionId: this.sessionId, reason });
  }
}

function said(facts: FailureFacts): { code: string; status: number | null } {
  return { code: facts.code, status: facts.status };
}

function reasonOf(error: unknown): AbandonReason | null {
  if (!(error instanceof WorkerError)) return null;
  if (error.code === 'WORKER_SESSION_FENCED') return 'fenced';
  return error.code === 'WORKER_SESSION_LEASE_EXPIRED' ? 'lease_expired' : null;
}
