import { STAGE_INTENT, STAGE_SECRET_PREFIX } from '../annotations.ts';
import { CONTRACT_NAMES } from '../contract-names.ts';
import { requests, succeeded, type Request } from './audit.ts';
import { actionChains, publishedRow } from './actions.ts';
import { watchedStates } from './objects.ts';
import { fact, type ObservedRun } from './observed-run.ts';
import type { WatchedObject } from './pods.ts';
import { textIn, type Row } from './rows.ts';

const STAGED = { deliveryId: 'delivery_id', workerId: 'worker_id', credentialId: 'credential_id', tokenDigest: 'token_digest', deploymentGeneration: 'deployment_generation' } as const;

/**
 * Creations of the contract's stage Secrets, one for each delivery, by whoever made them. The audit log names an object
 * on creation by its request; the watch says that the Secret of exactly that delivery came of it, for what the ledger has.
 */
export const stageCreations = fact((run: ObservedRun): readonly Request[] => {
  const { stageNamespace } = CONTRACT_NAMES;
  const expected = new Map(actionChains(run).map(publishedRow).map((row) => [STAGE_SECRET_PREFIX + (textIn(row, 'delivery_id') ?? '').replaceAll('-', ''), row]));
  return requests(run).filter(({ event }) => event.verb === 'create' && event.resource === 'secrets' && isFor(expected.get(event.name ?? '') ?? null, watchedStates(run, 'Secret', stageNamespace, event.name ?? ''))).filter(succeeded);
});

function isFor(row: Row | null, [staged]: readonly WatchedObject[]): boolean {
  const intent = staged?.body.object.metadata.annotations?.[STAGE_INTENT] ?? '';
  return Object.entries(STAGED).every(([key, column]) => intent.includes(JSON.stringify({ [key]: textIn(row, column) }).slice(1, -1)));
}
