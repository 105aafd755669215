import type { DeliveryIntent } from '../../../core/delivery.ts';
import { committedRecord, publishedRecord, type DeliveryRecord } from '../../../core/delivery-record.ts';
import type { Database } from '../../../postgres/connection.ts';
import { insertCredential, isCredentialActive } from '../../../postgres/repositories/credential-ledger.ts';
import { lockCredentialAndDelivery } from '../../../postgres/repositories/credential-lock.ts';
import { appendDelivery, findDelivery } from '../../../postgres/repositories/delivery-ledger.ts';
import { isExecuting } from '../../../postgres/repositories/execution-state.ts';
import { inTransaction } from '../../../postgres/transaction.ts';
import { readDatabaseNow } from '../management/database-now.ts';
import { IssueError } from './issue-error.ts';
import type { IssueRequest } from './issue-request.ts';

/**
 * Credential, mutation, audit and delivery version 1 in one transaction. The
 * execution must stand behind its start barrier in that same transaction, so that
 * nothing is committed any more once a recovery has ended it.
 */
export function commitDelivery(database: Database, request: IssueRequest, intent: DeliveryIntent): Promise<DeliveryRecord> {
  const { plan, dispatchId, consumptionId } = request;
  const { previousCredentialId } = intent;
  return inTransaction(database, async (sql) => {
    await lockCredentialAndDelivery(sql, intent.credentialId, intent.deliveryId);
    if (!(await isExecuting(sql, dispatchId, consumptionId))) {
      throw new IssueError('QL3_WORKER_CREDENTIAL_EXECUTION_FENCED', `execution ${dispatchId} is not executing under consumption ${consumptionId} any more`);
    }
    if (previousCredentialId !== null && !(await isCredentialActive(sql, previousCredentialId, intent.workerId))) {
      throw new IssueError('QL3_WORKER_CREDENTIAL_PREDECESSOR_INACTIVE', `credential ${previousCredentialId} of worker ${intent.workerId} is not active: a rotation needs it`);
    }
    const committedAtMs = Math.max(await readDatabaseNow(sql), intent.stagedAtMs);
    await insertCredential(sql, {
      intent,
      window: { notBeforeAtMs: plan.target.credentialNotBeforeAtMs, expiresAtMs: plan.target.credentialExpiresAtMs },
      actionRef: plan.actionRef,
      projectId: plan.authorityProjectId,
      issuedAtMs: committedAtMs,
    });
    const record = committedRecord(intent, committedAtMs);
    await appendDelivery(sql, record);
    return record;
  });
}

/** Version 2. Whoever comes second finds it done, with the same digest. */
export function recordPublication(database: Database, record: DeliveryRecord, publicationDigest: string): Promise<DeliveryRecord> {
  return inTransaction(database, async (sql) => {
    await lockCredentialAndDelivery(sql, record.credentialId, record.deliveryId);
    const latest = await findDelivery(sql, record.deliveryId);
    if (latest === null || latest.version > 1) return requireDigest(latest, record, publicationDigest);
    const publishedAtMs = Math.max(await readDatabaseNow(sql), latest.credentialCommittedAtMs);
    const published = publishedRecord(latest, { publishedAtMs, publicationDigest });
    await appendDelivery(sql, published);
    return published;
  });
}

function requireDigest(latest: DeliveryRecord | null, record: DeliveryRecord, publicationDigest: string): DeliveryRecord {
  if (latest?.publicationDigest === publicationDigest) return latest;
  throw new IssueError(
    'QL3_WORKER_CREDENTIAL_ISSUE_CONFLICT',
    `delivery ${record.deliveryId}: the ledger has publication ${latest?.publicationDigest ?? '(none)'}, the cluster ${publicationDigest}`,
  );
}
