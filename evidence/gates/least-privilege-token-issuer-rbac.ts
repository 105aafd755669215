import { HOST_ISSUER, JOB_ISSUER, RECOVERY_ISSUER } from '../identities.ts';
import { ISSUER_REVIEWS, matchesReviews } from '../facts/access-reviews.ts';
import { isForbidden, isReview, isDeliveryTokenRequest, stagesBy, type Request } from '../facts/audit.ts';
import { rightsRules } from '../facts/granted-accesses.ts';
import type { ObservedRun } from '../facts/observed-run.ts';
import { probeIssuerRule } from '../facts/probe-sessions.ts';
import { isShortLived, TOKEN_SECONDS } from '../facts/token-lifetimes.ts';
import { fourSessionsRule, recoverySessions, tokenSessions } from '../facts/token-sessions.ts';
import { issuerForbiddenVerb } from '../probes/issuer-forbidden-verb.ts';
import { executorForbiddenVerb } from '../probes/executor-forbidden-verb.ts';
import { judged, nothing, rule, ruleOf } from '../verdict.ts';

/** The issuers may create a token for one ServiceAccount, and neither could nor did do anything else. */
export const leastPrivilegeTokenIssuerRbac = judged((run: ObservedRun) => {
  const sessions = tokenSessions(run);
  const byIssuers = [...stagesBy(run, HOST_ISSUER), ...stagesBy(run, JOB_ISSUER), ...stagesBy(run, RECOVERY_ISSUER)];
  const excess = byIssuers.filter((request) => !isAllowed(request));
  return [
    fourSessionsRule(run),
    ...sessions.map(({ generation, issuerReviews }) => {
      return rule(`before token ${generation} exactly the one allowed and eight denied accesses were reviewed`, matchesReviews(issuerReviews, ISSUER_REVIEWS), issuerReviews);
    }),
    ...recoverySessions(run).flatMap(({ request, issuerReviews }, index) => [
      rule(`before the token of recovery pass ${index + 1} exactly the same accesses were reviewed`, matchesReviews(issuerReviews, ISSUER_REVIEWS), issuerReviews),
      rule(`the token of recovery pass ${index + 1} was asked for as the others`, isShortLived(run, request), [request]),
    ]),
    ...sessions.map(({ generation, request }) => rule(`token ${generation} was asked for to live ${TOKEN_SECONDS} s, for the API server alone`, isShortLived(run, request), [request])),
    probeIssuerRule(run),
    nothing('the issuers did nothing but review, request that token, and be refused', excess),
    ...rightsRules(run),
    ruleOf("the host issuer's forbidden request was answered 403", issuerForbiddenVerb(run)),
    ruleOf("the executor's forbidden request was answered 403", executorForbiddenVerb(run)),
  ];
});

function isAllowed(request: Request): boolean {
  return isForbidden(request) || isReview(request) || isDeliveryTokenRequest(request);
}
