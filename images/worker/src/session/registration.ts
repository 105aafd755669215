import { setTimeout as delay } from 'node:timers/promises';
import { v7 as uuidV7 } from 'uuid';

import { parseRegisterResponse, REGISTER_SCHEMA, type RegisterResponse } from '../../../core/session-wire.ts';
import { WorkerError } from '../errors.ts';
import type { IngressClient } from '../ingress/ingress-client.ts';
import { IngressFailure, type FailureFacts } from '../ingress/ingress-failure.ts';
import type { Journal } from '../journal/journal.ts';
import { Backoff } from './backoff.ts';
import type { Capabilities } from './capabilities.ts';
import { WorkerSession, type SessionTiming } from './worker-session.ts';

const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 10_000;

export interface RegistrationOptions {
  readonly workerId: string;
  readonly client: IngressClient;
  readonly journal: Journal;
  readonly capabilities: Capabilities;
  readonly timing: SessionTiming;
  readonly onRetry: (facts: FailureFacts, retryInMs: number, sessionId: string) => void;
  readonly signal: AbortSignal;
}

export interface Registered {
  readonly session: WorkerSession;
  readonly response: RegisterResponse;
  /** True when an earlier attempt may have begun the lease: a heartbeat is then due at once. */
  readonly leaseBegunEarlier: boolean;
}

/**
 * Registers a new session. While the Control cannot be reached it waits, visibly, and tries again with the same session id:
 * registering twice is the same as once. A Control that says no (401, 403, a refused request, a fence) ends the start with
 * WORKER_REGISTRATION_REFUSED, for Kubernetes to show and to try again. Null when told to stop before it succeeded.
 */
export async function register(options: RegistrationOptions): Promise<Registered | null> {
  if (options.signal.aborted) return null;
  const backoff = new Backoff(FIRST_RETRY_MS, LONGEST_RETRY_MS);
  let sessionId = await begin(options);
  // When the lease may have begun: repeating a registration does not renew it.
  let uncertainSince: number | null = null;
  while (!options.signal.aborted) {
    const requestedAt = performance.now();
    try {
      const { session, response } = await attempt(options, sessionId, uncertainSince ?? requestedAt);
      return { session, response, leaseBegunEarlier: uncertainSince !== null };
    } catch (error) {
      if (!(error instanceof IngressFailure)) throw error;
      const { facts } = error;
      if (facts.kind === 'fenced' && uncertainSince !== null) {
        // An earlier attempt of ours had arrived, and its lease is over by now.
        await options.journal.append({ type: 'abandoned', sessionId, reason: 'lease_expired' });
        sessionId = await begin(options);
        uncertainSince = null;
        continue;
      }
      if (facts.ambiguous) uncertainSince ??= requestedAt;
      if (facts.kind !== 'unavailable') {
        await options.journal.append({ type: 'abandoned', sessionId, reason: 'registration_unconfirmed' });
        throw refused(error);
      }
      const retryInMs = facts.staleConnection ? 0 : backoff.next(facts.retryAfterMs);
      options.onRetry(facts, retryInMs, sessionId);
      await delay(retryInMs, undefined, { signal: options.signal }).catch(() => {});
    }
  }
  await options.journal.append({ type: 'abandoned', sessionId, reason: 'registration_unconfirmed' });
  return null;
}

async function begin(options: RegistrationOptions): Promise<string> {
  const sessionId = uuidV7();
  await options.journal.append({ type: 'registering', sessionId });
  return sessionId;
}

async function attempt(options: RegistrationOptions, sessionId: string, leaseFrom: number): Promise<Omit<Registered, 'leaseBegunEarlier'>> {
  const { workerId, client, capabilities, timing } = options;
  const body = { schema: REGISTER_SCHEMA, ...capabilities, availableSlots: capabilities.maxConcurrentRuns, leaseDurationMs: timing.leaseDurationMs };
  const answer = await client.post({ sessionId, operation: 'register', body, timeoutMs: timing.requestTimeoutMs });
  const response = read(answer, workerId, sessionId);
  await options.journal.append({ type: 'registered', sessionId, generation: response.generation, version: response.version });
  return { session: new WorkerSession(client, timing, response, leaseFrom), response };
}

function read(answer: Buffer, workerId: string, sessionId: string): RegisterResponse {
  try {
    const response = parseRegisterResponse(answer);
    if (response.workerId === workerId && response.sessionId === sessionId && response.status === 'online') return response;
  } catch {
    // Told below.
  }
  throw new IngressFailure(
    { kind: 'unavailable', status: 200, code: 'answer_not_understood', ambiguous: true, staleConnection: false, retryAfterMs: null },
    'the Control answered 200 with something that is not the state of this session',
  );
}

function refused(failure: IngressFailure): WorkerError {
  const { status, code, kind } = failure.facts;
  const advice = kind === 'blocked' ? 'is the credential of this Worker delivered, active and not revoked?' : kind === 'local' ? 'put it right and start again' : 'do Worker and Control fit together?';
  return new WorkerError('WORKER_REGISTRATION_REFUSED', `the session could not be registered: ${failure.message}; ${advice}`, { cause: failure, facts: { status, reason: code } });
}
