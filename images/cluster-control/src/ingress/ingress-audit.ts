import type { SecurityAuditEvent } from '../../../postgres/repositories/security-audit.ts';
import type { AuthenticatedWorker } from '../admission/authentication.ts';
import type { Exchange } from './exchange.ts';
import type { IngressRefusal } from './refusal.ts';
import type { SessionRoute } from './route.ts';

/** What of a request must be on record; each promise resolves when the row is durable. */
export interface IngressAudit {
  admitted(exchange: Exchange, route: SessionRoute, worker: AuthenticatedWorker): Promise<void>;
  denied(exchange: Exchange, route: SessionRoute, refusal: IngressRefusal): Promise<void>;
  failed(exchange: Exchange, route: SessionRoute, worker: AuthenticatedWorker, refusal: IngressRefusal): Promise<void>;
}

export function createIngressAudit(append: (event: SecurityAuditEvent) => Promise<unknown>): IngressAudit {
  return {
    async admitted(exchange, route, worker) {
      await append({ ...about(exchange, route), outcome: 'allowed', subject: subjectOf(worker), reasonCode: null });
    },
    async denied(exchange, route, refusal) {
      await append({ ...about(exchange, route), outcome: 'denied', subject: null, reasonCode: refusal.reason });
    },
    async failed(exchange, route, worker, refusal) {
      const { details, ...event } = about(exchange, route);
      await append({ ...event, outcome: 'failed', subject: subjectOf(worker), reasonCode: refusal.reason, details: { ...details, code: refusal.code } });
    },
  };
}

function subjectOf(worker: AuthenticatedWorker): NonNullable<SecurityAuditEvent['subject']> {
  return { type: 'worker', id: worker.workerId, authenticationId: worker.credentialId };
}

function about(exchange: Exchange, route: SessionRoute): Pick<SecurityAuditEvent, 'action' | 'resource' | 'details'> {
  return {
    action: `worker_session.${route.operation}`,
    resource: { type: 'worker_session', id: route.sessionId },
    details: {
      workerId: route.workerId,
      clientCertificateSha256: exchange.peer.clientCertificateFingerprint,
      clientCertificateSerial: exchange.peer.clientCertificateSerial,
      tlsProtocol: exchange.peer.protocol,
    },
  };
}
