import { STAGE_SECRET_PREFIX } from '../annotations.ts';
import { CONTRACT_NAMES } from '../contract-names.ts';
import { requests, succeeded, type Request } from './audit.ts';
import { actionChains, publishedRow } from './actions.ts';
import { watchedStates } from './objects.ts';
import { fact, type ObservedRun } from './observed-run.ts';
import { textIn } from './rows.ts';

/**
 * Creations of the contract's stage Secrets, one for each delivery, by whoever made them. The audit log names an object
 * on creation by its request; the watch says that the Secret of exactly that delivery came of it.
 */
export const stageCreations = fact((run: ObservedRun): readonly Request[] => {
  const expected = new Set(actionChains(run).map((chain) => STAGE_SECRET_PREFIX + (textIn(publishedRow(chain), 'delivery_id') ?? '').replaceAll('-', '')));
  return requests(run).filter(({ event }) => {
    const { stageNamespace } = CONTRACT_NAMES;
    return event.verb === 'create' && event.resource === 'secrets' && event.name !== null && expected.has(event.name) && watchedStates(run, 'Secret', stageNamespace, event.name).length > 0;
  }).filter(succeeded);
});
