import type { SecurityAuditEvent } from '../../../postgres/repositories/security-audit.ts';
import type { CredentialLookup } from '../admission/authentication.ts';
import type { WorkerSessions } from '../ingress/session-mutation.ts';
import type { DatabaseProbe } from './database-readiness.ts';

/** Everything that the ingress asks of PostgreSQL. */
export interface ControlDatabase {
  readonly probe: DatabaseProbe;
  readonly credentials: CredentialLookup;
  readonly sessions: WorkerSessions;
  appendAudit(event: SecurityAuditEvent): Promise<unknown>;
  close(): Promise<void>;
}
