import { DELIVERY, JOB_ISSUER } from '../identities.ts';
import { isForbidden, requestsBy, within } from '../facts/audit.ts';
import { firstJob, lifetimeOf, replayJob } from '../facts/executor-jobs.ts';
import type { ObservedRun } from '../facts/observed-run.ts';
import { tokenRequests } from '../facts/token-sessions.ts';
import { judged, rule } from '../verdict.ts';

/** The same command in a second Job answered `existing`, and its Pod asked the API server for nothing. */
export const executorJobExactReplayWithoutTokenRequest = judged((run: ObservedRun) => {
  const [first, replay] = [firstJob(run), replayJob(run)];
  const lifetime = lifetimeOf(replay);
  const during = [...requestsBy(run, JOB_ISSUER), ...requestsBy(run, DELIVERY)].filter((request) => lifetime !== null && within(request, lifetime) && !isForbidden(request));
  const jobTokens = tokenRequests(run).filter(({ identity }) => identity === JOB_ISSUER);
  const lines = [first.outputLine, replay.outputLine];
  return [
    rule('the lifetime of the replay Pod is known', lifetime !== null, [replay.pod, replay.pod?.ended]),
    rule('the replay came after the first Job had ended', (lifetimeOf(first)?.fromMs ?? NaN) <= (lifetime?.fromMs ?? NaN) && first.pod?.uid !== replay.pod?.uid, [first.pod, replay.pod]),
    rule('no request by executor or delivery while the replay Pod lived', during.length === 0, during),
    rule('the executor requested one token in all', jobTokens.length === 1, jobTokens),
    rule('both Jobs speak of the same dispatch of the same action', first.output !== null && first.output.dispatchId === replay.output?.dispatchId && first.output.actionRef === replay.output.actionRef, lines),
    rule('the replay says that it found the execution and used no token request', replay.output?.tokenRequestUsed === false && replay.output.executionStatus === 'existing', lines),
  ];
});
