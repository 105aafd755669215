import { fact, type ObservedRun } from '../facts/observed-run.ts';
import { annotationOf } from '../facts/pods.ts';
import { pkiIdentities } from '../facts/tls-identities.ts';
import { productPods } from '../facts/worker-pods.ts';
import { explicitIdentityGenerationRolloutObserved } from '../gates/explicit-identity-generation-rollout-observed.ts';
import type { DraftSection } from '../report.ts';

export const identityRolloutSection = fact((run: ObservedRun): DraftSection<'identityRollout'> => {
  const generation = annotationOf(productPods(run)[2], 'identityGeneration');
  return {
    generation,
    caDigest: pkiIdentities(run).get(generation ?? '')?.body.caDigest ?? null,
    observedByReplacement: explicitIdentityGenerationRolloutObserved(run).holds,
  };
});
