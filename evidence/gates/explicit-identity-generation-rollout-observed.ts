import type { ObservedRun } from '../facts/observed-run.ts';
import { actorIdentityRules, productIdentityRules } from '../facts/identity-rollout.ts';
import { judged } from '../verdict.ts';

/** The TLS identity moved by its own annotation: an actor recorded the new CA, and the ingress saw another client certificate. */
export const explicitIdentityGenerationRolloutObserved = judged((run: ObservedRun) => [...actorIdentityRules(run), ...productIdentityRules(run)]);
