import { WorkerError } from '../errors.ts';

/**
 * A session that is fenced or whose lease is over is not ours any more, and what it was allowed to do is not either. The
 * process then ends with exit 1 instead of registering by itself: Kubernetes starts it anew, and the new process reconciles
 * the journal before it registers, on one path for every kind of loss.
 */
export function sessionFenced(sessionId: string, during: string): WorkerError {
  return new WorkerError('WORKER_SESSION_FENCED', `the session ${sessionId} was fenced at its ${during}: the Control holds another session or state for this Worker. The process ends so that it is started anew`, {
    facts: { sessionId, during },
  });
}

export function leaseExpired(sessionId: string, leaseDurationMs: number): WorkerError {
  return new WorkerError('WORKER_SESSION_LEASE_EXPIRED', `the session ${sessionId} had no successful heartbeat for its lease of ${leaseDurationMs} ms. The process ends so that it is started anew`, {
    facts: { sessionId, leaseDurationMs },
  });
}
