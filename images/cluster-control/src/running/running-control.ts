import { InFlightLimit } from '../admission/in-flight-limit.ts';
import { OverloadShield } from '../admission/overload-shield.ts';
import type { ControlSettings } from '../configuration/control-configuration.ts';
import type { ControlDatabase } from '../database/control-database.ts';
import { DatabaseReadiness } from '../database/database-readiness.ts';
import type { EventLog } from '../events/event-log.ts';
import { createIngressAudit } from '../ingress/ingress-audit.ts';
import { createWorkerIngress } from '../ingress/worker-ingress.ts';
import { type HealthListener, openHealthListener } from '../listeners/health-listener.ts';
import { type IngressListener, openIngressListener } from '../listeners/ingress-listener.ts';
import type { TrustMaterial } from '../trust/trust-material.ts';
import { TrustReload } from '../trust/trust-reload.ts';
import type { ControlLimits } from './control-limits.ts';
import { drain } from './drain.ts';

export interface ControlParts {
  readonly settings: ControlSettings;
  readonly material: TrustMaterial;
  readonly pepper: Buffer;
  readonly database: ControlDatabase;
  readonly limits: ControlLimits;
  readonly log: EventLog;
}

export interface RunningControl {
  readonly healthPort: number;
  readonly ingressPort: number;
  reloadTrust(): Promise<void>;
  /** Ends gracefully, once; `hurry` gives up what is still in flight. */
  stop(): Promise<void>;
  hurry(): void;
}

/** Opens both listeners at once; requests are refused as `not_ready` until the database was found fit for use. */
export async function startControl(parts: ControlParts): Promise<RunningControl> {
  const { settings, log, limits, database } = parts;
  const { host } = settings.listeners;
  const inFlight = new InFlightLimit(limits.inFlight);
  const readiness = new DatabaseReadiness(database.probe, log, (facts) => {
    log.info(announced ? 'database_ready' : 'listening', { ...facts, host, ...ports() });
    announced = true;
  });
  let announced = false;
  let draining = false;
  let health: HealthListener | undefined;
  let ingress: IngressListener | undefined;
  const ports = () => ({ healthPort: health?.port ?? null, ingressPort: ingress?.port ?? null });
  const handler = createWorkerIngress({
    shield: new OverloadShield(limits.shield),
    inFlight,
    requestTimeoutMs: limits.requestTimeoutMs,
    pepper: parts.pepper,
    credentials: database.credentials,
    audit: createIngressAudit((event) => database.appendAudit(event)),
    sessions: database.sessions,
    log,
    isReady: () => readiness.isReady && !draining,
    suspectDatabase: () => void readiness.check(),
    keepsConnection: (request) => !draining && (ingress?.isCurrent(request.socket) ?? false),
  });
  try {
    health = await openHealthListener({ host, port: settings.listeners.healthPort }, async () => !draining && (await readiness.check()));
    ingress = await openIngressListener({ host, port: settings.listeners.ingressPort }, parts.material, handler, log);
  } catch (error) {
    await health?.close();
    throw error;
  }
  log.info('listeners_open', { host, ...ports(), ...parts.material.summary });
  void readiness.check();
  const opened = { health, ingress };
  const reload = new TrustReload(settings.trustFiles, (material) => opened.ingress.replaceTrust(material), log);
  const hurried = Promise.withResolvers<void>();
  let stopping: Promise<void> | null = null;
  return {
    healthPort: health.port,
    ingressPort: ingress.port,
    reloadTrust: () => reload.request(),
    hurry: () => hurried.resolve(),
    stop() {
      draining = true;
      stopping ??= drain({ ...opened, readiness, database, inFlight, log, timeoutMs: limits.drainTimeoutMs, hurried: hurried.promise });
      return stopping;
    },
  };
}
