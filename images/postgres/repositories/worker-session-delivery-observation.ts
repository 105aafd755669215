import type { Transaction } from '../transaction.ts';
import type { SessionCaller } from './worker-session-caller.ts';
import { WorkerSessionError } from './worker-session-error.ts';
import { integer } from './worker-session-row.ts';

/**
 * The first authenticated change of a session under a new credential proves that its delivery arrived: version 2
 * becomes 3, in the transaction of that change. A delivery that is not yet recorded as published fails the change,
 * because the ledger must not skip a state; one that was observed before stays as it is.
 */
export async function observeDelivery(
  transaction: Transaction,
  caller: SessionCaller,
  observation: { readonly sessionVersion: number; readonly nowMs: number },
): Promise<void> {
  const latest = await transaction.query(
    'SELECT delivery_id, version, published_at_ms FROM ql3.worker_credential_deliveries WHERE credential_id = $1 ORDER BY version DESC LIMIT 1',
    [caller.credentialId],
  );
  const row: Record<string, unknown> | undefined = latest.rows[0];
  if (row === undefined) return;
  const version = integer(row, 'version');
  if (version === 1) throw new WorkerSessionError('WORKER_SESSION_DELIVERY_NOT_PUBLISHED', 'credential_delivery_not_published');
  if (version !== 2) return;
  const observedAtMs = Math.max(observation.nowMs, integer(row, 'published_at_ms'));
  await transaction.query(
    `INSERT INTO ql3.worker_credential_deliveries (delivery_id, version, state, worker_id, credential_id, credential_version,
       previous_credential_id, secret_digest, token_digest, deployment_target_digest, deployment_generation, staged_at_ms,
       credential_committed_at_ms, published_at_ms, publication_digest, observed_at_ms, observed_session_id, observed_session_version)
     SELECT delivery_id, 3, 'observed', worker_id, credential_id, credential_version,
       previous_credential_id, secret_digest, token_digest, deployment_target_digest, deployment_generation, staged_at_ms,
       credential_committed_at_ms, published_at_ms, publication_digest, $2, $3, $4
     FROM ql3.worker_credential_deliveries WHERE delivery_id = $1 AND version = 2`,
    [row['delivery_id'], observedAtMs, caller.sessionId, observation.sessionVersion],
  );
}
