import { randomUUID } from 'node:crypto';
import type { Transaction } from '../transaction.ts';
import type { DeliveryIntent } from '../../core/delivery.ts';
import { appendCredentialAudit, EXECUTOR_ACTOR } from './credential-audit.ts';

export interface CredentialWindow {
  readonly notBeforeAtMs: number;
  readonly expiresAtMs: number;
}

export interface NewCredential {
  readonly intent: DeliveryIntent;
  readonly window: CredentialWindow;
  readonly actionRef: string;
  readonly projectId: string;
  readonly issuedAtMs: number;
}

/** The credential of a delivery with the mutation and the audit event that say who issued it. */
export async function insertCredential(sql: Transaction, { intent, window, actionRef, projectId, issuedAtMs }: NewCredential): Promise<void> {
  const auditEventId = randomUUID();
  await sql.query(
    `INSERT INTO ql3.worker_credentials (credential_id, worker_id, version, state, secret_digest, not_before_at_ms, expires_at_ms, issued_at_ms)
     VALUES ($1, $2, 1, 'active', $3, $4, $5, $6)`,
    [intent.credentialId, intent.workerId, intent.secretDigest, window.notBeforeAtMs, window.expiresAtMs, issuedAtMs],
  );
  await insertMutation(sql, { ...intent, version: 1, operation: 'issue', auditEventId, mutatedAtMs: issuedAtMs });
  await appendCredentialAudit(sql, {
    eventId: auditEventId,
    occurredAtMs: issuedAtMs,
    action: 'worker_credential.issue',
    outcome: 'succeeded',
    actor: EXECUTOR_ACTOR,
    projectId,
    resource: { type: 'worker_credential', id: intent.credentialId },
    reasonCode: null,
    details: { actionRef, deliveryId: intent.deliveryId, workerId: intent.workerId, previousCredentialId: intent.previousCredentialId },
  });
}

export async function isCredentialActive(sql: Transaction, credentialId: string, workerId: string): Promise<boolean> {
  const { rowCount } = await sql.query(
    `SELECT FROM ql3.worker_credentials WHERE credential_id = $1 AND worker_id = $2 AND state = 'active'`,
    [credentialId, workerId],
  );
  return rowCount === 1;
}

/** Revokes a credential that its successor has replaced. One that is revoked already stays as it is. */
export async function revokeCredential(
  sql: Transaction,
  revocation: { readonly credentialId: string; readonly workerId: string; readonly deliveryId: string; readonly atMs: number },
): Promise<void> {
  const { credentialId, workerId, deliveryId, atMs } = revocation;
  const { rowCount } = await sql.query(
    `UPDATE ql3.worker_credentials SET version = 2, state = 'revoked', revoked_at_ms = greatest($3, issued_at_ms)
     WHERE credential_id = $1 AND worker_id = $2 AND version = 1`,
    [credentialId, workerId, atMs],
  );
  if (rowCount === 0) return;
  const auditEventId = randomUUID();
  await insertMutation(sql, { credentialId, workerId, deliveryId, version: 2, operation: 'revoke', auditEventId, mutatedAtMs: atMs });
  await appendCredentialAudit(sql, {
    eventId: auditEventId,
    occurredAtMs: atMs,
    action: 'worker_credential.revoke',
    outcome: 'succeeded',
    actor: EXECUTOR_ACTOR,
    projectId: null,
    resource: { type: 'worker_credential', id: credentialId },
    reasonCode: 'successor_observed',
    details: { deliveryId, workerId },
  });
}

interface Mutation {
  readonly credentialId: string;
  readonly workerId: string;
  readonly deliveryId: string;
  readonly version: 1 | 2;
  readonly operation: 'issue' | 'revoke';
  readonly auditEventId: string;
  readonly mutatedAtMs: number;
}

async function insertMutation(sql: Transaction, mutation: Mutation): Promise<void> {
  const { subject, authenticationId } = EXECUTOR_ACTOR;
  await sql.query(
    `INSERT INTO ql3.worker_credential_mutations (mutation_id, credential_id, credential_version, operation, worker_id, delivery_id,
       subject_type, subject_id, authentication_id, audit_event_id, mutated_at_ms)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
      randomUUID(), mutation.credentialId, mutation.version, mutation.operation, mutation.workerId, mutation.deliveryId,
      subject.type, subject.id, authenticationId, mutation.auditEventId, mutation.mutatedAtMs,
    ],
  );
}
