import type { DeliveryIntent } from '../../../core/delivery.ts';
import { deliveryIntentOf, previousRevokedRecord, type DeliveryRecord } from '../../../core/delivery-record.ts';
import type { Database } from '../../../postgres/connection.ts';
import { revokeCredential } from '../../../postgres/repositories/credential-ledger.ts';
import { lockCredentialAndDelivery } from '../../../postgres/repositories/credential-lock.ts';
import { appendDelivery, findDelivery, isDeliverySuperseded } from '../../../postgres/repositories/delivery-ledger.ts';
import { findDispatchOfAction } from '../../../postgres/repositories/execution-dispatch.ts';
import { findExecution } from '../../../postgres/repositories/execution-state.ts';
import { findPlanOfDelivery } from '../../../postgres/repositories/management-plan.ts';
import { inTransaction } from '../../../postgres/transaction.ts';
import type { WorkerCredentialDelivery } from '../delivery/delivery.ts';
import { hasLapsed } from '../execution/execution-progress.ts';
import { publish } from '../issuing/credential-issuer.ts';
import { discardOrphan } from '../issuing/discard-orphan.ts';
import { readDatabaseNow } from '../management/database-now.ts';

export type RecoveredDeliveryStatus =
  /** Version 1 was published; it waits for its Worker now. */
  | 'published'
  | 'waiting_observation'
  /** Published, never observed, and replaced since: its stage serves nothing any more and is gone. */
  | 'superseded'
  /** The Worker uses it, its predecessor is revoked, its stage is gone. */
  | 'completed'
  | 'orphaned_stage_discarded'
  /** Staged, not committed, and its execution is still under way. */
  | 'waiting_commit'
  | 'failed';

export interface RecoveryParts {
  readonly database: Database;
  readonly delivery: WorkerCredentialDelivery;
}

/** Takes one delivery as far as it can go now. */
export async function recoverDelivery(
  parts: RecoveryParts,
  deliveryId: string,
  staged: DeliveryIntent | null,
): Promise<Exclude<RecoveredDeliveryStatus, 'failed'>> {
  const record = await inTransaction(parts.database, (sql) => findDelivery(sql, deliveryId));
  if (record === null) return staged === null ? 'orphaned_stage_discarded' : discardUnlessExecuting(parts, staged);
  switch (record.version) {
    case 1:
      await publish(parts, record);
      return 'published';
    case 2:
      return await settleUnobserved(parts, record, staged);
    default:
      return finish(parts, record, staged);
  }
}

/** A Worker that was never seen with this credential may still be on its way to it, unless the next one has been published. */
async function settleUnobserved(parts: RecoveryParts, record: DeliveryRecord, staged: DeliveryIntent | null): Promise<'waiting_observation' | 'superseded'> {
  if (!(await inTransaction(parts.database, (sql) => isDeliverySuperseded(sql, record.credentialId)))) return 'waiting_observation';
  if (staged !== null) await parts.delivery.discard({ intent: deliveryIntentOf(record), deliveryState: record.state });
  return 'superseded';
}

/** Revocation first: the stage is what brings an interrupted recovery back to this delivery. */
async function finish(parts: RecoveryParts, record: DeliveryRecord, staged: DeliveryIntent | null): Promise<'completed'> {
  const last = record.version === 3 && record.previousCredentialId !== null ? await revokePrevious(parts.database, record) : record;
  if (staged !== null) await parts.delivery.discard({ intent: deliveryIntentOf(last), deliveryState: last.state });
  return 'completed';
}

function revokePrevious(database: Database, { deliveryId, credentialId }: DeliveryRecord): Promise<DeliveryRecord> {
  return inTransaction(database, async (sql) => {
    await lockCredentialAndDelivery(sql, credentialId, deliveryId);
    const latest = (await findDelivery(sql, deliveryId))!;
    if (latest.version !== 3 || latest.previousCredentialId === null) return latest;
    const atMs = Math.max(await readDatabaseNow(sql), latest.observedAtMs ?? 0);
    await revokeCredential(sql, { credentialId: latest.previousCredentialId, workerId: latest.workerId, deliveryId, atMs });
    const revoked = previousRevokedRecord(latest, atMs);
    await appendDelivery(sql, revoked);
    return revoked;
  });
}

async function discardUnlessExecuting(parts: RecoveryParts, staged: DeliveryIntent): Promise<'orphaned_stage_discarded' | 'waiting_commit' | 'published'> {
  if (await isUnderWay(parts.database, staged.deliveryId)) return 'waiting_commit';
  // Not discarded: the delivery was committed between the two looks, and the next page finds it.
  return (await discardOrphan(parts.database, parts.delivery, staged)) ? 'orphaned_stage_discarded' : 'waiting_commit';
}

/** An executor between stage and commit is let finish as long as its lease lives. */
function isUnderWay(database: Database, deliveryId: string): Promise<boolean> {
  return inTransaction(database, async (sql) => {
    const plan = await findPlanOfDelivery(sql, deliveryId);
    const dispatch = plan === null ? null : await findDispatchOfAction(sql, plan.actionRef);
    const execution = dispatch === null ? null : await findExecution(sql, dispatch.dispatchId);
    return execution?.state === 'executing' && !hasLapsed(execution);
  });
}
