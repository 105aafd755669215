import { actionChains, publishedRow } from '../facts/actions.ts';
import { fact, type ObservedRun } from '../facts/observed-run.ts';
import { journalRuleFor } from '../facts/replacement-order.ts';
import { textIn } from '../facts/rows.ts';
import { secretSeparatedFromIdentity } from '../facts/secret-separation.ts';
import { workerPods, type PodLife } from '../facts/pods.ts';
import { actorCast } from '../facts/worker-pods.ts';
import type { DraftSection } from '../report.ts';

type Generation = DraftSection<'credentialRollout'>['generations'][number];

export const credentialRolloutSection = fact((run: ObservedRun): DraftSection<'credentialRollout'> => {
  const published = actionChains(run).map(publishedRow);
  const { old, rotated, crashReplacement, executorJobReplacement } = actorCast(run);
  return {
    secretSeparatedFromTlsIdentity: secretSeparatedFromIdentity(run).holds,
    generations: published.map((row) => textIn(row, 'deployment_generation') as Generation),
    publicationDigests: published.map((row) => textIn(row, 'publication_digest')),
    recreateStoppedOldBeforeStartingNew: stoppedBefore(run, old, rotated),
    executorJobStoppedOldBeforeStartingNew: stoppedBefore(run, crashReplacement, executorJobReplacement),
  };
});

/** By the watch, the old Pod had ended before the new one appeared; by the journal, it had stopped before the new one started. */
function stoppedBefore(run: ObservedRun, old: PodLife | null, fresh: PodLife | null): boolean {
  if (old === null || fresh === null || old.ended === null) return false;
  const neighbours = workerPods(run).indexOf(fresh) === workerPods(run).indexOf(old) + 1;
  return neighbours && old.ended.seq < fresh.seq && journalRuleFor(run, fresh.uid)?.met === true;
}
