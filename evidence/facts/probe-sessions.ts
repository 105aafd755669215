import { CLOCK_BOUND_MS } from '../clock-bound.ts';
import { PROBE_NAMES } from '../contract-names.ts';
import { PROBE_DELIVERY } from '../identities.ts';
import type { ProbeId } from '../observation.ts';
import { nothing, rule, type Rule } from '../verdict.ts';
import { coversReviews, reviewsOf } from './access-reviews.ts';
import { isReview, isTokenRequest, requests, requestsWithin, succeeded, type Request } from './audit.ts';
import { fact, type ObservedRun } from './observed-run.ts';
import { probeResults } from './probe-results.ts';

/** What the delivery of the probes did from one token to the next; before the first, under none. */
interface ProbeSession {
  readonly token: Request | null;
  readonly issuerReviews: readonly Request[];
  readonly done: readonly Request[];
}

const REVIEWS = reviewsOf(PROBE_NAMES);
const ATTEMPTS: readonly ProbeId[] = ['competing-writer-secret', 'competing-writer-deployment', 'crash-between-secret-and-deployment', 'lost-replace-response', 'disposed-client'];

/** Sessions in which something was done; one that was broken off before may have reviewed less. */
const workingSessions = fact((run: ObservedRun): readonly ProbeSession[] => {
  const tokens = requests(run).filter((request) => isTokenRequest(request, PROBE_NAMES.stageNamespace, PROBE_NAMES.deliveryServiceAccount) && succeeded(request));
  const reviewed = new Map<string, number>();
  return [null, ...tokens].flatMap((token, index) => {
    const [fromMs, toMs] = [token?.receivedMs ?? -Infinity, tokens[index]?.receivedMs ?? Infinity];
    const done = requestsWithin(run, PROBE_DELIVERY, { fromMs, toMs }).filter(({ receivedMs }) => receivedMs < toMs);
    if (!done.some((request) => succeeded(request) && !isReview(request))) return [];
    const sinceMs = reviewed.get(token?.identity ?? '') ?? -Infinity;
    reviewed.set(token?.identity ?? '', fromMs);
    return [{ token, done, issuerReviews: requestsWithin(run, token?.identity ?? '', { fromMs: sinceMs, toMs: fromMs }).filter((request) => isReview(request) && request.receivedMs > sinceMs) }];
  });
});

export function probeIssuerRule(run: ObservedRun): Rule {
  const sessions = workingSessions(run);
  return rule("before each token of the probes' delivery the same accesses were reviewed", sessions.every(({ issuerReviews }) => coversReviews(issuerReviews, REVIEWS.issuer)), sessions.flatMap(({ token, issuerReviews }) => [token, ...issuerReviews]));
}

export function probeDeliveryRule(run: ObservedRun): Rule {
  const sessions = workingSessions(run);
  return rule("under each token of the probes' delivery the same accesses were reviewed", sessions.every(({ done }) => coversReviews(done.filter(isReview), REVIEWS.delivery)), sessions.flatMap(({ token, done }) => [token, ...done]));
}

/** Each attempt, and what is done between two, asks for a token of its own. */
export function probeTokenRule(run: ObservedRun): Rule {
  const turnsMs = ATTEMPTS.flatMap((probe) => probeResults(run, probe)).flatMap(({ window: { fromMs, toMs } }) => [fromMs + CLOCK_BOUND_MS, toMs - CLOCK_BOUND_MS]);
  const stale = workingSessions(run).flatMap(({ token, done }) =>
    done.filter(({ receivedMs }) => token === null || turnsMs.some((turnMs) => token.receivedMs < turnMs - CLOCK_BOUND_MS && receivedMs > turnMs + CLOCK_BOUND_MS)),
  );
  return nothing("the probes' delivery did nothing without a token, or under that of an attempt before", stale);
}
