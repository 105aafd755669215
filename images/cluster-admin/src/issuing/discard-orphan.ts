import type { DeliveryIntent } from '../../../core/delivery.ts';
import { authorizedDiscard, completedDiscard } from '../../../core/stage-discard.ts';
import type { Database } from '../../../postgres/connection.ts';
import { lockCredentialAndDelivery } from '../../../postgres/repositories/credential-lock.ts';
import { appendStageDiscard, findStageDiscard } from '../../../postgres/repositories/delivery-discard.ts';
import { findDelivery } from '../../../postgres/repositories/delivery-ledger.ts';
import { inTransaction } from '../../../postgres/transaction.ts';
import type { WorkerCredentialDelivery } from '../delivery/delivery.ts';
import { readDatabaseNow } from '../management/database-now.ts';

/**
 * Removes a stage that no delivery row knows: first the tombstone, which forbids
 * that its token is ever committed, then the Secret, then the note that it is gone.
 * False when a delivery of this id was committed meanwhile; the stage then stays.
 */
export async function discardOrphan(database: Database, delivery: WorkerCredentialDelivery, intent: DeliveryIntent): Promise<boolean> {
  if (!(await authorizeDiscard(database, intent))) return false;
  await delivery.discard({ intent, deliveryState: null });
  await completeDiscard(database, intent);
  return true;
}

function authorizeDiscard(database: Database, intent: DeliveryIntent): Promise<boolean> {
  return inTransaction(database, async (sql) => {
    await lockCredentialAndDelivery(sql, intent.credentialId, intent.deliveryId);
    if ((await findDelivery(sql, intent.deliveryId)) !== null) return false;
    if ((await findStageDiscard(sql, intent)) === null) await appendStageDiscard(sql, authorizedDiscard(intent, await readDatabaseNow(sql)));
    return true;
  });
}

function completeDiscard(database: Database, intent: DeliveryIntent): Promise<void> {
  return inTransaction(database, async (sql) => {
    await lockCredentialAndDelivery(sql, intent.credentialId, intent.deliveryId);
    const tombstone = await findStageDiscard(sql, intent);
    if (tombstone === null || tombstone.version === 2) return;
    await appendStageDiscard(sql, completedDiscard(tombstone, Math.max(await readDatabaseNow(sql), tombstone.discardAuthorizedAtMs)));
  });
}
