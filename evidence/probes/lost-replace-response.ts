import { concerns, PROBE_DEPLOYMENT, PROBE_SECRET, requestsBy, within } from '../facts/audit.ts';
import type { ObservedRun } from '../facts/observed-run.ts';
import { probeResult } from '../facts/probe-results.ts';
import { textIn } from '../facts/rows.ts';
import { PROBE_DELIVERY } from '../identities.ts';
import { judged, rule } from '../verdict.ts';
import { carriedOut, publishedRows } from './contest.ts';

/** The answer of a replace was lost after the API server had carried it out; the delivery found its own state and wrote it no second time. */
export const lostReplaceResponse = judged((run: ObservedRun) => {
  const result = probeResult(run, 'lost-replace-response');
  const object = [PROBE_SECRET, PROBE_DEPLOYMENT].find(({ resource }) => resource === result?.facts.resource);
  const replaces = object === undefined ? [] : carriedOut(run, result, object);
  const published = publishedRows(run, result?.facts.deliveryId);
  const again = requestsBy(run, PROBE_DELIVERY).filter((request) => object !== undefined && concerns(request, object) && request.event.verb === 'get' && within(request, { fromMs: replaces[0]?.receivedMs ?? Infinity, toMs: result?.window.toMs ?? 0 }));
  return [
    rule('the probe was made once, and the delivery converged', result?.facts.ending === 'converged', [result]),
    rule('the object was replaced once', replaces.length === 1, [result, ...replaces]),
    rule('the delivery looked at it again', again.length > 0, [...replaces, ...again]),
    rule('the delivery is published', published.length === 1 && textIn(published[0], 'publication_digest') === result?.facts.publicationDigest, [result, ...published]),
  ];
});
