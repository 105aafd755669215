import { lockInTransaction, type Transaction } from '../transaction.ts';

/** Everything about one credential and one delivery happens one after the other; always in this order, so that nobody deadlocks. */
export async function lockCredentialAndDelivery(sql: Transaction, credentialId: string, deliveryId: string): Promise<void> {
  await lockInTransaction(sql, 'credential', credentialId);
  await lockInTransaction(sql, 'delivery', deliveryId);
}
