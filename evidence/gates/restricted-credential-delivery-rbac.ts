import { CONTRACT_NAMES } from '../contract-names.ts';
import { DELIVERY } from '../identities.ts';
import { DELIVERY_REVIEWS, matchesReviews } from '../facts/access-reviews.ts';
import { TARGET_DEPLOYMENT, TARGET_SECRET, concerns, isForbidden, isReview, stagesBy, type Request } from '../facts/audit.ts';
import { foreignReads, foreignWrites, workerEntries } from '../facts/foreign-writes.ts';
import { rightsRules } from '../facts/granted-accesses.ts';
import type { ObservedRun } from '../facts/observed-run.ts';
import { probeDeliveryRule } from '../facts/probe-sessions.ts';
import { fourSessionsRule, recoverySessions, tokenSessions } from '../facts/token-sessions.ts';
import { deliveryForbiddenVerb } from '../probes/delivery-forbidden-verb.ts';
import { judged, nothing, rule, ruleOf } from '../verdict.ts';

/** The delivery's client had eight accesses and not twenty others; everything that it did lies inside the eight. */
export const restrictedCredentialDeliveryRbac = judged((run: ObservedRun) => {
  const sessions = tokenSessions(run);
  const excess = stagesBy(run, DELIVERY).filter((request) => !isAllowed(request));
  return [
    fourSessionsRule(run),
    ...sessions.map(({ generation, deliveryReviews }) => {
      return rule(`under token ${generation} exactly the eight allowed and twenty denied accesses were reviewed`, matchesReviews(deliveryReviews, DELIVERY_REVIEWS), deliveryReviews);
    }),
    ...recoverySessions(run).map(({ deliveryReviews }, index) => rule(`under the token of recovery pass ${index + 1} exactly the same accesses were reviewed`, matchesReviews(deliveryReviews, DELIVERY_REVIEWS), deliveryReviews)),
    probeDeliveryRule(run),
    rule('the delivery identity did nothing beyond its eight accesses', excess.length === 0, excess),
    ...rightsRules(run),
    nothing('nobody but a delivery wrote what it stages, nobody but it and the administrator what it publishes, and the TLS identity the administrator alone', foreignWrites(run)),
    nothing('nobody but the delivery, the node and the administrator read the credential, its stage or the TLS identity', foreignReads(run)),
    nothing('nobody went into a Pod of a Worker', workerEntries(run)),
    ruleOf('its forbidden request was answered 403', deliveryForbiddenVerb(run)),
  ];
});

const STAGE_VERBS = new Set(['get', 'list', 'create', 'delete']);
const TARGET_VERBS = new Set(['get', 'update']);

function isAllowed(request: Request): boolean {
  if (isForbidden(request) || isReview(request)) return true;
  const { event } = request;
  if (event.resource === 'secrets' && event.namespace === CONTRACT_NAMES.stageNamespace) return event.subresource === null && STAGE_VERBS.has(event.verb);
  return (concerns(request, TARGET_SECRET) || concerns(request, TARGET_DEPLOYMENT)) && TARGET_VERBS.has(event.verb);
}
