import { setTimeout as delay } from 'node:timers/promises';

import { WorkerError } from '../errors.ts';
import { IngressFailure, type FailureFacts } from '../ingress/ingress-failure.ts';
import type { Journal } from '../journal/journal.ts';
import { Backoff } from './backoff.ts';
import type { Cadence } from './cadence.ts';
import type { Intake } from './intake.ts';
import { sessionFenced } from './session-end.ts';
import type { WorkerSession } from './worker-session.ts';

const LONGEST_RETRY_MS = 5_000;

export type DrainPhase = 'draining' | 'settling' | 'offline';

export interface DrainDeferral {
  readonly phase: DrainPhase;
  readonly attempt: number;
  readonly code: string;
  readonly status: number | null;
  readonly retryInMs: number;
}

export interface DrainOptions {
  readonly session: WorkerSession;
  readonly intake: Intake;
  readonly cadence: Cadence;
  readonly journal: Journal;
  readonly drainTimeoutMs: number;
  readonly drainPollMs: number;
  readonly onDeferred: (deferral: DrainDeferral) => void;
}

/**
 * Hands the session back: draining, settle, offline, each recorded once it has happened. A step that fails is deferred and
 * tried again, without an end: only success, a fence or SIGKILL ends a drain. Meanwhile heartbeats keep the lease.
 * `offlineConfirmed` is false when the answer to the last transition was lost and the Control fences the repetition.
 */
export async function drain(options: DrainOptions): Promise<{ offlineConfirmed: boolean }> {
  const { session, intake, journal } = options;
  const { sessionId } = session.identity;
  intake.stop();
  await options.cadence.stop();
  await persist(options, 'draining', () => reachDraining(session));
  await persist(options, 'draining', () => journal.append({ type: 'draining', sessionId, version: session.version }));
  await persist(options, 'settling', () => settle(options));
  const offlineConfirmed = await persist(options, 'offline', () => reachOffline(session));
  await persist(options, 'offline', () => journal.append(offlineConfirmed ? { type: 'offline', sessionId, version: session.version } : { type: 'abandoned', sessionId, reason: 'offline_unconfirmed' }));
  return { offlineConfirmed };
}

async function persist<T>(options: DrainOptions, phase: DrainPhase, step: () => Promise<T>): Promise<T> {
  const backoff = new Backoff(options.drainPollMs, LONGEST_RETRY_MS);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await step();
    } catch (error) {
      const { code, status, retryAfterMs } = reasonToRetry(error, options.session.identity.sessionId);
      const retryInMs = backoff.next(retryAfterMs);
      options.onDeferred({ phase, attempt, code, status, retryInMs });
      await delay(retryInMs);
      await options.cadence.heartbeatIfDue();
    }
  }
}

async function reach(session: WorkerSession, status: 'draining' | 'offline'): Promise<void> {
  if (session.status !== status) await session.transition(status);
}

// A repeated draining is fenced when the first one had arrived. Whether that is so, or the session is lost, the transition
// to offline tells: it succeeds in the first case alone.
async function reachDraining(session: WorkerSession): Promise<void> {
  try {
    await reach(session, 'draining');
  } catch (error) {
    if (!isFence(error) || !session.mayHaveReached('draining')) throw error;
  }
}

async function reachOffline(session: WorkerSession): Promise<boolean> {
  try {
    await reach(session, 'offline');
    return true;
  } catch (error) {
    if (isFence(error) && session.mayHaveReached('offline')) return false;
    throw error;
  }
}

function isFence(error: unknown): boolean {
  return error instanceof IngressFailure && error.facts.kind === 'fenced';
}

async function settle(options: DrainOptions): Promise<void> {
  if (await options.intake.settle(options.drainTimeoutMs, options.drainPollMs)) return;
  throw new SettleTimeout();
}

class SettleTimeout extends Error {}

/** What to say about a failure that may pass; anything else is thrown on. */
function reasonToRetry(error: unknown, sessionId: string): Pick<FailureFacts, 'code' | 'status' | 'retryAfterMs'> {
  if (error instanceof IngressFailure) {
    if (error.facts.kind === 'fenced') throw sessionFenced(sessionId, 'transition');
    return error.facts;
  }
  if (error instanceof SettleTimeout) return { code: 'runs_still_active', status: null, retryAfterMs: null };
  if (error instanceof WorkerError && error.code === 'WORKER_JOURNAL_UNAVAILABLE' && error.facts['final'] !== true) {
    return { code: error.code, status: null, retryAfterMs: null };
  }
  throw error;
}
