import { CONTRACT_NAMES } from '../contract-names.ts';
import { TARGET_DEPLOYMENT, TARGET_SECRET, concerns, isDeliveryTokenRequest, requests, succeeded, type Request } from '../facts/audit.ts';
import { commonOf } from '../facts/group-by.ts';
import { fact, type ObservedRun } from '../facts/observed-run.ts';
import { lastSeen } from '../facts/objects.ts';
import { automountIsOff, mountsServiceAccountToken } from '../facts/pod-spec.ts';
import { workerPods } from '../facts/pods.ts';
import { replacesByDelivery } from '../facts/publications.ts';
import { stageCreations } from '../facts/stage.ts';
import { secondsAsked } from '../facts/token-lifetimes.ts';
import { requestsOutsideSessions, tokenRequests, tokenSessions, type TokenSession } from '../facts/token-sessions.ts';
import { leastPrivilegeTokenIssuerRbac } from '../gates/least-privilege-token-issuer-rbac.ts';
import { tokenRequestSessionDisposed } from '../gates/token-request-session-disposed.ts';
import { DELIVERY, HOST_ISSUER, JOB_ISSUER } from '../identities.ts';
import { sessionKeepsItsToken } from '../probes/disposed-client.ts';
import type { DraftSection } from '../report.ts';

/** What the product counts of its reviews. Each count is held to what the API server logged. */
type CountedReviews = 'issuerAllowedChecks' | 'issuerDeniedChecks' | 'allowedChecks' | 'deniedChecks';

export const rbacSection = fact((run: ObservedRun): DraftSection<'rbac'> => {
  const sessions = tokenSessions(run);
  const pods = workerPods(run);
  const reviews = (field: CountedReviews, of: (session: TokenSession) => readonly Request[], allowed: boolean): number | null =>
    inEverySession(sessions, (session) => {
      const logged = of(session).filter(({ event }) => event.accessReview?.allowed === allowed).length;
      return session.account === null || session.account.body[field] === logged ? logged : null;
    });
  return {
    tokenIssuerImpersonatedUser: inEverySession(sessions.filter(({ generation }) => generation !== 3), ({ request }) => request.event.impersonatedUser),
    tokenIssuerExactServiceAccountBound: leastPrivilegeTokenIssuerRbac(run).holds && tokensAreForTheDelivery(run),
    hostTokenRequestSessions: tokenRequests(run).filter(({ identity }) => identity === HOST_ISSUER).length,
    executorJobTokenRequestSessions: tokenRequests(run).filter(({ identity }) => identity === JOB_ISSUER).length,
    shortLivedTokenRequestSeconds: tokenSeconds(run, sessions),
    issuerAllowedChecks: reviews('issuerAllowedChecks', ({ issuerReviews }) => issuerReviews, true),
    issuerDeniedChecks: reviews('issuerDeniedChecks', ({ issuerReviews }) => issuerReviews, false),
    serviceAccountAutomount: !(deliveryAccountIsClosed(run) && pods.length > 0 && pods.every(({ object }) => automountIsOff(object))),
    workerPodServiceAccountTokenProjected: pods.length === 0 || pods.some(({ object }) => mountsServiceAccountToken(object)),
    separateStageNamespace: stagedApart(run),
    allowedChecks: reviews('allowedChecks', ({ deliveryReviews }) => deliveryReviews, true),
    deniedChecks: reviews('deniedChecks', ({ deliveryReviews }) => deliveryReviews, false),
    tokenNeverReturnedBySession: sessionKeepsItsToken(run).holds && requestsOutsideSessions(run).length === 0,
    restrictedClientDisposedAfterEachOperation: tokenRequestSessionDisposed(run).holds,
    adapterUsedRestrictedToken: everyWriteWasTheDeliverys(run),
  };
});

/** The value of each session when all four, or all that there are, agree; null otherwise. */
function inEverySession<T>(sessions: readonly TokenSession[], valueOf: (session: TokenSession) => T): T | null {
  return commonOf(sessions.map(valueOf));
}

/** As the product tells it of its own sessions and, where the API server wrote it down, as it was asked for each of the four; null where they do not agree. */
function tokenSeconds(run: ObservedRun, sessions: readonly TokenSession[]): number | null {
  const told = sessions.flatMap(({ account }) => (account === null ? [] : [account.body.tokenLifetimeSeconds]));
  const [seconds = null, ...others] = [...told, ...secondsAsked(run, sessions.map(({ request }) => request))];
  return others.every((other) => other === seconds) ? seconds : null;
}

/** Every token that an issuer got is for the one ServiceAccount in the stage namespace. */
function tokensAreForTheDelivery(run: ObservedRun): boolean {
  const granted = requests(run).filter((request) => (request.identity === HOST_ISSUER || request.identity === JOB_ISSUER) && request.event.subresource === 'token' && succeeded(request));
  return granted.length === 4 && granted.every(isDeliveryTokenRequest);
}

function deliveryAccountIsClosed(run: ObservedRun): boolean {
  const account = lastSeen(run, 'ServiceAccount', CONTRACT_NAMES.stageNamespace, CONTRACT_NAMES.deliveryServiceAccount);
  return account?.object['automountServiceAccountToken'] === false;
}

/** Four stage Secrets were made in the stage namespace, and none in the Worker's. */
function stagedApart(run: ObservedRun): boolean {
  const created = stageCreations(run);
  return created.length === 4 && created.every(({ event }) => event.namespace === CONTRACT_NAMES.stageNamespace);
}

/** Staging and every publication were done under the restricted identity: no one else wrote the target Secret or staged one. */
function everyWriteWasTheDeliverys(run: ObservedRun): boolean {
  const updates = requests(run).filter((request) => concerns(request, TARGET_SECRET) && ['update', 'patch', 'delete'].includes(request.event.verb) && succeeded(request));
  const published = replacesByDelivery(run, TARGET_DEPLOYMENT);
  const all = [...updates, ...stageCreations(run)];
  return updates.length === 4 && published.length === 4 && stageCreations(run).length === 4 && all.every(({ identity }) => identity === DELIVERY);
}
