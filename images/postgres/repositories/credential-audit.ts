import type { Transaction } from '../transaction.ts';
import { EXECUTOR_AUTHENTICATION_ID, EXECUTOR_SUBJECT, type Assurance, type Subject } from '../../core/subject.ts';

/** What was done about a credential or its approval, written in the transaction that did it. */
export interface CredentialAuditEvent {
  readonly eventId: string;
  readonly occurredAtMs: number;
  readonly action: 'approval.request' | 'approval.decide' | 'approval.consume' | 'worker_credential.issue' | 'worker_credential.revoke';
  readonly outcome: 'allowed' | 'denied' | 'approval_required' | 'succeeded';
  readonly actor: AuditActor;
  readonly projectId: string | null;
  readonly resource: { readonly type: 'approval_request' | 'worker_credential'; readonly id: string };
  readonly reasonCode: string | null;
  /** Small, and never a secret. */
  readonly details: Readonly<Record<string, string | number | null>>;
}

export interface AuditActor {
  readonly subject: Subject;
  readonly authenticationId: string;
  /** Null for what is not a person. */
  readonly assurance: Assurance | null;
}

export const EXECUTOR_ACTOR: AuditActor = Object.freeze({
  subject: EXECUTOR_SUBJECT,
  authenticationId: EXECUTOR_AUTHENTICATION_ID,
  assurance: null,
});

export async function appendCredentialAudit(sql: Transaction, event: CredentialAuditEvent): Promise<void> {
  const { actor, resource } = event;
  await sql.query(
    `INSERT INTO ql3.security_audit_events (event_id, occurred_at_ms, action, outcome, subject_type, subject_id, authentication_id,
       assurance, project_id, resource_type, resource_id, reason_code, details)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
    [
      event.eventId, event.occurredAtMs, event.action, event.outcome, actor.subject.type, actor.subject.id, actor.authenticationId,
      actor.assurance, event.projectId, resource.type, resource.id, event.reasonCode, JSON.stringify(event.details),
    ],
  );
}
