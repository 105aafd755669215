import type { InFlightLimit } from '../admission/in-flight-limit.ts';
import type { ControlDatabase } from '../database/control-database.ts';
import type { DatabaseReadiness } from '../database/database-readiness.ts';
import type { EventLog } from '../events/event-log.ts';
import type { HealthListener } from '../listeners/health-listener.ts';
import type { IngressListener } from '../listeners/ingress-listener.ts';

export interface Drainable {
  readonly health: HealthListener;
  readonly ingress: IngressListener;
  readonly readiness: DatabaseReadiness;
  readonly database: ControlDatabase;
  readonly inFlight: InFlightLimit;
  readonly log: EventLog;
  readonly timeoutMs: number;
  /** Resolves when nobody wants to wait any longer. */
  readonly hurried: Promise<void>;
}

/**
 * Accepts nothing new, lets what is in flight end within the time allowed, then closes everything. Health answers
 * until the end, so that the kubelet sees `not_ready` rather than a refused connection.
 */
export async function drain(parts: Drainable): Promise<void> {
  const { health, ingress, readiness, database, inFlight, log } = parts;
  log.info('draining', { inFlight: inFlight.count });
  const closed = ingress.stopAccepting();
  await idleOrLate(parts);
  const abandonedRequests = inFlight.count;
  // What has just been answered may still be on its way to the peer; closing idle connections does not cut it off.
  if (abandonedRequests === 0) ingress.closeIdle();
  else ingress.closeAll();
  await Promise.race([closed, settledLater(ingress)]);
  readiness.stop();
  await database.close();
  await health.close();
  log[abandonedRequests === 0 ? 'info' : 'warn']('stopped', { abandonedRequests });
}

async function idleOrLate({ inFlight, timeoutMs, hurried }: Drainable): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, timeoutMs);
  await Promise.race([inFlight.whenIdle(), late.promise, hurried]);
  clearTimeout(timer);
}

/** A peer that does not close its end must not hold up the stop. */
async function settledLater(ingress: IngressListener): Promise<void> {
  const late = Promise.withResolvers<void>();
  setTimeout(late.resolve, 1_000).unref();
  await late.promise;
  ingress.closeAll();
}
