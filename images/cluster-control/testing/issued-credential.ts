import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import { createCredentialToken, parseCredentialToken, secretDigest, tokenDigest } from '../../core/credential-token.ts';

export interface IssuedCredential {
  readonly credentialId: string;
  readonly workerId: string;
  readonly deliveryId: string;
  readonly token: string;
}

export interface IssueOptions {
  readonly credentialId: string;
  readonly workerId: string;
  readonly notBeforeAtMs?: number;
  readonly expiresAtMs?: number;
  /** The version that the delivery has reached. */
  readonly delivery?: 1 | 2;
}

const HOUR_MS = 3_600_000;
const ANY_DIGEST = 'a'.repeat(64);

/** Writes the rows that an executor leaves: the audit event, the mutation, the credential and its delivery. */
export async function issueCredential(client: Client, pepper: Buffer, options: IssueOptions): Promise<IssuedCredential> {
  const { credentialId, workerId } = options;
  const tokenBytes = createCredentialToken(credentialId);
  const digest = secretDigest(pepper, credentialId, parseCredentialToken(tokenBytes).secret);
  const now = Date.now();
  const expiresAtMs = options.expiresAtMs ?? now + HOUR_MS;
  const notBeforeAtMs = options.notBeforeAtMs ?? now - HOUR_MS;
  const issuedAtMs = Math.min(now, expiresAtMs - 1);
  const issued = { credentialId, workerId, deliveryId: randomUUID(), token: tokenBytes.toString('latin1') };
  await client.query('BEGIN');
  await recordMutation(client, issued, { version: 1, operation: 'issue', atMs: issuedAtMs });
  await client.query(
    `INSERT INTO ql3.worker_credentials (credential_id, worker_id, version, state, secret_digest, not_before_at_ms, expires_at_ms, issued_at_ms)
     VALUES ($1, $2, 1, 'active', $3, $4, $5, $6)`,
    [credentialId, workerId, digest, notBeforeAtMs, expiresAtMs, issuedAtMs],
  );
  await client.query(
    `INSERT INTO ql3.worker_credential_deliveries (delivery_id, version, state, worker_id, credential_id, credential_version, secret_digest,
       token_digest, deployment_target_digest, deployment_generation, staged_at_ms, credential_committed_at_ms)
     VALUES ($1, 1, 'credential_committed', $2, $3, 1, $4, $5, $6, 'generation-1', $7, $7)`,
    [issued.deliveryId, workerId, credentialId, digest, tokenDigest(tokenBytes), ANY_DIGEST, issuedAtMs],
  );
  await client.query('COMMIT');
  if (options.delivery !== 1) await publishDelivery(client, issued, issuedAtMs);
  return issued;
}

export async function publishDelivery(client: Client, issued: IssuedCredential, atMs = Date.now()): Promise<void> {
  await client.query(
    `INSERT INTO ql3.worker_credential_deliveries (delivery_id, version, state, worker_id, credential_id, credential_version, secret_digest,
       token_digest, deployment_target_digest, deployment_generation, staged_at_ms, credential_committed_at_ms, published_at_ms, publication_digest)
     SELECT delivery_id, 2, 'published', worker_id, credential_id, credential_version, secret_digest, token_digest, deployment_target_digest,
       deployment_generation, staged_at_ms, credential_committed_at_ms, $2, $3
     FROM ql3.worker_credential_deliveries WHERE delivery_id = $1 AND version = 1`,
    [issued.deliveryId, atMs, ANY_DIGEST],
  );
}

export async function revokeCredential(client: Client, issued: IssuedCredential): Promise<void> {
  const atMs = Date.now();
  await client.query('BEGIN');
  await recordMutation(client, issued, { version: 2, operation: 'revoke', atMs });
  await client.query(`UPDATE ql3.worker_credentials SET version = 2, state = 'revoked', revoked_at_ms = $2 WHERE credential_id = $1`, [issued.credentialId, atMs]);
  await client.query('COMMIT');
}

async function recordMutation(client: Client, issued: IssuedCredential, mutation: { version: number; operation: string; atMs: number }): Promise<void> {
  const auditEventId = randomUUID();
  await client.query(
    `INSERT INTO ql3.security_audit_events (event_id, occurred_at_ms, action, outcome, subject_type, subject_id, authentication_id)
     VALUES ($1, $2, $3, 'succeeded', 'system', 'test', 'test')`,
    [auditEventId, mutation.atMs, `worker_credential.${mutation.operation}`],
  );
  await client.query(
    `INSERT INTO ql3.worker_credential_mutations (mutation_id, credential_id, credential_version, operation, worker_id, delivery_id, subject_type,
       subject_id, authentication_id, audit_event_id, mutated_at_ms)
     VALUES ($1, $2, $3, $4, $5, $6, 'system', 'test', 'test', $7, $8)`,
    [randomUUID(), issued.credentialId, mutation.version, mutation.operation, issued.workerId, issued.deliveryId, auditEventId, mutation.atMs],
  );
}
