import { fact, type ObservedRun } from '../facts/observed-run.ts';
import { actorIdentityRules, productIdentityRules } from '../facts/identity-rollout.ts';
import { verdict } from '../verdict.ts';

/** The TLS identity moved by its own annotation: an actor recorded the new CA, and the ingress saw another client certificate. */
export const explicitIdentityGenerationRolloutObserved = fact((run: ObservedRun) => verdict([...actorIdentityRules(run), ...productIdentityRules(run)]));
