import { randomUUID } from 'node:crypto';
import { DATABASE_NOW_MS } from '../clock.ts';

export interface SecurityAuditEvent {
  readonly action: string;
  readonly outcome: 'allowed' | 'denied' | 'approval_required' | 'succeeded' | 'failed';
  readonly subject: { readonly type: 'user' | 'system' | 'worker'; readonly id: string; readonly authenticationId: string } | null;
  readonly resource: { readonly type: string; readonly id: string } | null;
  readonly reasonCode: string | null;
  /** Small and free of secrets. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** A database, or a transaction that the event belongs to. */
export interface AuditTarget {
  query(text: string, values: unknown[]): Promise<unknown>;
}

/** Appends one event at the database's time. Given a database it is durable when the promise resolves. */
export async function appendSecurityAudit(target: AuditTarget, event: SecurityAuditEvent): Promise<string> {
  const eventId = randomUUID();
  const { subject, resource } = event;
  await target.query(
    `INSERT INTO ql3.security_audit_events (event_id, occurred_at_ms, action, outcome, subject_type, subject_id, authentication_id,
       resource_type, resource_id, reason_code, details)
     VALUES ($1, ${DATABASE_NOW_MS}, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      eventId, event.action, event.outcome, subject?.type ?? 'anonymous', subject?.id ?? null, subject?.authenticationId ?? null,
      resource?.type ?? null, resource?.id ?? null, event.reasonCode, JSON.stringify(event.details),
    ],
  );
  return eventId;
}
