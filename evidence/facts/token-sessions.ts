import { CLOCK_BOUND_MS } from '../clock-bound.ts';
import { DELIVERY, HOST_ISSUER, JOB_ISSUER, RECOVERY_ISSUER } from '../identities.ts';
import { instantMs } from '../instants.ts';
import type { Generation, ObservationOf } from '../observation.ts';
import { byArrival, isForbidden, isDeliveryTokenRequest, isReview, requestsBy, requestsWithin, succeeded, type Request, type Window } from './audit.ts';
import { firstJob, lifetimeOf } from './executor-jobs.ts';
import { fact, type ObservedRun } from './observed-run.ts';
import { rule, type Rule } from '../verdict.ts';

/** Which issuer makes the delivery of each generation, as the contract wants it. */
export const ISSUER_OF: Readonly<Record<Generation, string>> = { 1: HOST_ISSUER, 2: HOST_ISSUER, 3: JOB_ISSUER, 4: HOST_ISSUER };
export const GENERATIONS: readonly Generation[] = [1, 2, 3, 4];

/** One TokenRequest and all that was done under its token, put together from the API server's audit log. */
export interface TokenSession {
  readonly generation: Generation;
  readonly request: Request;
  readonly issuerReviews: readonly Request[];
  readonly deliveryReviews: readonly Request[];
  /** Requests of the delivery identity other than reviews. */
  readonly work: readonly Request[];
  readonly account: ObservationOf<'action.token-session'> | null;
  /** When the product says (host), or its container shows (Job), that the session was over; NaN when nothing says it. */
  readonly endedMs: number;
}

/** Tokens of the delivery ServiceAccount that one of its two issuers obtained, in order. */
export const tokenRequests = fact((run: ObservedRun): readonly Request[] =>
  [...requestsBy(run, HOST_ISSUER), ...requestsBy(run, JOB_ISSUER)]
    .filter((request) => isDeliveryTokenRequest(request) && succeeded(request))
    .sort(byArrival),
);

export const tokenSessions = fact((run: ObservedRun): readonly TokenSession[] => {
  const obtained = tokenRequests(run);
  return GENERATIONS.flatMap((generation) => {
    const request = obtained[generation - 1];
    return request === undefined ? [] : [readSession(run, generation, request, obtained)];
  });
});

function readSession(run: ObservedRun, generation: Generation, request: Request, obtained: readonly Request[]): TokenSession {
  const previous = obtained.findLast((other) => other.identity === request.identity && other.receivedMs < request.receivedMs);
  const next = [...obtained, ...recoverySessions(run).map((session) => session.request)].sort(byArrival).find((other) => other.receivedMs > request.receivedMs);
  const before = { fromMs: previous?.receivedMs ?? -Infinity, toMs: request.receivedMs };
  const after = { fromMs: request.receivedMs, toMs: next?.receivedMs ?? Infinity };
  const issuer = requestsWithin(run, request.identity, before);
  const delivery = requestsWithin(run, DELIVERY, after).filter((each) => !isForbidden(each));
  const account = run.of('action.token-session').find(({ body }) => body.generation === generation) ?? null;
  return {
    generation,
    request,
    issuerReviews: issuer.filter(isReview),
    deliveryReviews: delivery.filter(isReview),
    work: delivery.filter((each) => !isReview(each)),
    account,
    endedMs: request.identity === JOB_ISSUER ? (lifetimeOf(firstJob(run))?.toMs ?? NaN) : instantMs(account?.body.endedAt),
  };
}

export function fourSessionsRule(run: ObservedRun): Rule {
  const sessions = tokenSessions(run);
  return rule('there is a token session for each of the four generations', sessions.length === 4, sessions.map(({ request }) => request));
}

export interface RecoverySession {
  readonly request: Request;
  readonly issuerReviews: readonly Request[];
  readonly deliveryReviews: readonly Request[];
  readonly account: ObservationOf<'action.recovery-session'> | null;
  readonly endedMs: number;
}

/** Recovery passes: each under a token that another issuer obtained, over when the product says so. */
export const recoverySessions = fact((run: ObservedRun): readonly RecoverySession[] => {
  const accounts = run.of('action.recovery-session');
  const obtained = requestsBy(run, RECOVERY_ISSUER).filter((request) => isDeliveryTokenRequest(request) && succeeded(request));
  return obtained.map((request, index) => {
    const account = accounts[index] ?? null;
    const endedMs = instantMs(account?.body.endedAt);
    const before = { fromMs: obtained[index - 1]?.receivedMs ?? -Infinity, toMs: request.receivedMs };
    const reviewsOf = (identity: string, window: Window): readonly Request[] => requestsWithin(run, identity, window).filter(isReview);
    return { request, account, endedMs, issuerReviews: reviewsOf(RECOVERY_ISSUER, before), deliveryReviews: reviewsOf(DELIVERY, { fromMs: request.receivedMs, toMs: endedMs + CLOCK_BOUND_MS }) };
  });
});

/** Requests of the delivery identity that were not answered 403 and belong to no session, or came after its end. */
export const requestsOutsideSessions = fact((run: ObservedRun): readonly Request[] => {
  const sessions: readonly { readonly request: Request; readonly endedMs: number }[] = [...tokenSessions(run), ...recoverySessions(run)];
  const inside = (request: Request): boolean =>
    sessions.some((session) => request.receivedMs >= session.request.receivedMs && request.receivedMs <= session.endedMs + CLOCK_BOUND_MS);
  return requestsBy(run, DELIVERY).filter((request) => !isForbidden(request) && !inside(request));
});

/** Where the API server names the token (1.30 and later): whether each session used one token and no two the same. */
export function tokensAreDistinct(sessions: readonly TokenSession[]): boolean {
  const used = sessions.map(({ deliveryReviews, work }) => new Set([...deliveryReviews, ...work].map(({ event }) => event.credentialId)));
  const named = used.flatMap((ids) => [...ids]).filter((id) => id !== null);
  return used.every((ids) => ids.size <= 1) && new Set(named).size === named.length;
}
