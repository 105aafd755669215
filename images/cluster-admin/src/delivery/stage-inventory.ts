import type { StagePage, StagePageRequest } from './delivery.ts';
import { deliveryUnavailable } from './delivery-error.ts';
import type { StageStore } from './stage-store.ts';

const DEFAULT_PAGE = 16;
const MAX_PAGE = 64;

/** One page of the staged intents in the order of their delivery ids. */
export async function readStagePage(stages: StageStore, request: StagePageRequest): Promise<StagePage> {
  const limit = request.limit ?? DEFAULT_PAGE;
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > MAX_PAGE) {
    throw deliveryUnavailable(`stage page limit: expected 1 to ${MAX_PAGE}, got ${limit}`);
  }
  const after = request.afterDeliveryId ?? '';
  const following = (await stages.list())
    .map((stage) => stage.intent)
    .filter((intent) => intent.deliveryId > after)
    .sort((left, right) => (left.deliveryId < right.deliveryId ? -1 : 1));
  const intents = following.slice(0, limit);
  return { intents, nextAfterDeliveryId: following.length > limit ? intents.at(-1)!.deliveryId : null };
}
