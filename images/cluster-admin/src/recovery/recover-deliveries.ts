import type { DeliveryIntent } from '../../../core/delivery.ts';
import { listUnfinishedDeliveries } from '../../../postgres/repositories/delivery-ledger.ts';
import { inTransaction } from '../../../postgres/transaction.ts';
import { withAuthority, type AuthorityOptions } from '../execution/execute-credential-action.ts';
import type { TokenRequestEvidence } from '../token-request/token-request-session.ts';
import { recoverDelivery, type RecoveredDeliveryStatus, type RecoveryParts } from './delivery-recovery.ts';

const DEFAULT_PAGE = 16;

export interface RecoverDeliveriesOptions extends AuthorityOptions {
  /** The last delivery of the page before; null or absent for the first page. */
  readonly afterDeliveryId?: string | null;
  /** 1 to 64, 16 if not given. */
  readonly limit?: number;
}

export interface RecoveredDelivery {
  readonly deliveryId: string;
  readonly status: RecoveredDeliveryStatus;
  /** What went wrong, when `failed`; it is tried again by the next pass. */
  readonly failure: { readonly code: string; readonly message: string } | null;
}

export interface RecoveryPage {
  readonly deliveries: readonly RecoveredDelivery[];
  readonly nextAfterDeliveryId: string | null;
  readonly tokenRequest: TokenRequestEvidence;
}

/**
 * One page of a pass over all deliveries of this target that are not at their end,
 * and over all stages. It has no timer: whoever wants it repeated calls it again.
 * A delivery that fails does not keep the others from being recovered.
 */
export function recoverDeliveries(options: RecoverDeliveriesOptions): Promise<RecoveryPage> {
  return withAuthority(options, async (database, session, targetDigest) => {
    const loan = await session.withDelivery(async (delivery) => {
      const parts: RecoveryParts = { database, delivery };
      const page = await readPage(parts, targetDigest, options);
      const deliveries: RecoveredDelivery[] = [];
      for (const { deliveryId, staged } of page.entries) {
        options.signal?.throwIfAborted();
        deliveries.push(await recoverOne(parts, deliveryId, staged));
      }
      return { deliveries, nextAfterDeliveryId: page.nextAfterDeliveryId };
    });
    return { ...loan.result, tokenRequest: loan.evidence };
  });
}

interface WorkPage {
  readonly entries: readonly { readonly deliveryId: string; readonly staged: DeliveryIntent | null }[];
  readonly nextAfterDeliveryId: string | null;
}

/** The ledger knows what is unfinished, the stages what is left over; both in the order of their ids. */
async function readPage({ database, delivery }: RecoveryParts, targetDigest: string, options: RecoverDeliveriesOptions): Promise<WorkPage> {
  const { afterDeliveryId = null, limit = DEFAULT_PAGE } = options;
  const stages = await delivery.inventory({ afterDeliveryId, limit });
  const unfinished = await inTransaction(database, (sql) => listUnfinishedDeliveries(sql, targetDigest, afterDeliveryId, limit));
  const staged = new Map(stages.intents.filter((intent) => intent.deploymentTargetDigest === targetDigest).map((intent) => [intent.deliveryId, intent]));
  const scanned = [...new Set([...stages.intents.map((intent) => intent.deliveryId), ...unfinished])].sort();
  const ids = scanned.slice(0, limit);
  const more = scanned.length > limit || stages.nextAfterDeliveryId !== null || unfinished.length === limit;
  return {
    entries: ids
      .filter((id) => staged.has(id) || unfinished.includes(id))
      .map((deliveryId) => ({ deliveryId, staged: staged.get(deliveryId) ?? null })),
    nextAfterDeliveryId: more ? (ids.at(-1) ?? null) : null,
  };
}

async function recoverOne(parts: RecoveryParts, deliveryId: string, staged: DeliveryIntent | null): Promise<RecoveredDelivery> {
  try {
    return { deliveryId, status: await recoverDelivery(parts, deliveryId, staged), failure: null };
  } catch (error) {
    const { code, message } = error as { code?: unknown; message: string };
    return { deliveryId, status: 'failed', failure: { code: typeof code === 'string' ? code : 'UNEXPECTED', message } };
  }
}
