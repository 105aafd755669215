import { PROBE_NAMES } from '../contract-names.ts';
import { isReview, PROBE_DEPLOYMENT, PROBE_SECRET, requestsBy, succeeded, within } from '../facts/audit.ts';
import type { ObservedRun } from '../facts/observed-run.ts';
import { probeResult } from '../facts/probe-results.ts';
import { textIn } from '../facts/rows.ts';
import { judged, rule } from '../verdict.ts';
import { carriedOut, publishedRows } from './contest.ts';

/** The executor was killed after the Secret's replace; recovery published the same delivery and did not write the Secret again. */
export const crashBetweenSecretAndDeployment = judged((run: ObservedRun) => {
  const result = probeResult(run, 'crash-between-secret-and-deployment');
  const [secret, deployment] = [carriedOut(run, result, PROBE_SECRET), carriedOut(run, result, PROBE_DEPLOYMENT)];
  const published = publishedRows(run, result?.facts.deliveryId);
  const recovery = requestsBy(run, PROBE_NAMES.recoveryUser).find((request) => !isReview(request) && succeeded(request) && within(request, { fromMs: secret[0]?.receivedMs ?? Infinity, toMs: deployment[0]?.receivedMs ?? 0 }));
  return [
    rule('the probe was made once, and the executor died by SIGKILL', result?.facts.signal === 'SIGKILL', [result]),
    rule('the Secret was replaced once, the Deployment once and later', secret.length === 1 && deployment.length === 1 && (secret[0]?.receivedMs ?? 0) < (deployment[0]?.receivedMs ?? 0), [...secret, ...deployment]),
    rule('in between, recovery obtained a token of its own', recovery !== undefined, [...secret, recovery, ...deployment]),
    rule('recovery published that delivery', published.length === 1 && textIn(published[0], 'publication_digest') === result?.facts.recoveredPublicationDigest, [result, ...published]),
  ];
});
