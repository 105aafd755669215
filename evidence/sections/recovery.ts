import { claimIsSame, claimPhase, claimStates } from '../facts/claim.ts';
import { durableRecords } from '../facts/journal.ts';
import { fact, type ObservedRun } from '../facts/observed-run.ts';
import { claimNames } from '../facts/pod-spec.ts';
import type { PodLife } from '../facts/pods.ts';
import { journalRuleFor } from '../facts/replacement-order.ts';
import { actorCast } from '../facts/worker-pods.ts';
import { CONTRACT_NAMES } from '../contract-names.ts';
import type { DraftSection } from '../report.ts';

export const recoverySection = fact((run: ObservedRun): DraftSection<'recovery'> => {
  const { old, rotated, crashReplacement, executorJobReplacement, identityReplacement } = actorCast(run);
  return {
    pvcPhase: claimPhase(claimStates(run)),
    sameClaimAfterCredentialRollout: sameClaim(run, old, rotated),
    sameClaimAfterForcedPodLoss: sameClaim(run, rotated, crashReplacement),
    oldPodUid: old?.uid ?? null,
    rotatedPodUid: rotated?.uid ?? null,
    crashReplacementPodUid: crashReplacement?.uid ?? null,
    executorJobReplacementPodUid: executorJobReplacement?.uid ?? null,
    identityReplacementPodUid: identityReplacement?.uid ?? null,
    durableJournalRecords: durableRecords(run),
  };
});

/** Both Pods name the claim, the claim stayed one object on one volume, and what the first had written the second found. */
function sameClaim(run: ObservedRun, before: PodLife | null, after: PodLife | null): boolean {
  const named = [before, after].every((pod) => pod !== null && claimNames(pod.object).join() === CONTRACT_NAMES.claim);
  return named && claimIsSame(claimStates(run)) && journalRuleFor(run, after?.uid)?.met === true;
}
