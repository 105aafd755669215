import { CONTRACT_NAMES } from '../contract-names.ts';
import { JOB_ISSUER } from '../identities.ts';
import { requestsBy, within } from '../facts/audit.ts';
import { firstJob, lifetimeOf, replayJob, type ExecutorJob } from '../facts/executor-jobs.ts';
import { textAt } from '../facts/fields.ts';
import { foreignImpersonations } from '../facts/foreign-impersonation.ts';
import { foreignExecutorTokens } from '../facts/foreign-tokens.ts';
import { executorEntries } from '../facts/foreign-writes.ts';
import type { ObservedRun } from '../facts/observed-run.ts';
import { automountIsOff, projectedTokenSeconds } from '../facts/pod-spec.ts';
import { isShortLived, TOKEN_SECONDS, tokensOfPod, wasAskedByANode } from '../facts/token-lifetimes.ts';
import { tokenSessions } from '../facts/token-sessions.ts';
import { judged, nothing, rule, type Rule } from '../verdict.ts';

/** The executor's own token is a projected one of 600 s, the node asked for no other, no other is mounted, and it is what the token request was made with. */
export const executorJobUsesProjectedShortLivedIssuerToken = judged((run: ObservedRun) => {
  const first = firstJob(run);
  const session = tokenSessions(run).find(({ request }) => request.identity === JOB_ISSUER);
  const lifetime = lifetimeOf(first);
  const own = requestsBy(run, JOB_ISSUER).filter((request) => lifetime !== null && within(request, lifetime));
  return [
    ...[first, replayJob(run)].flatMap((job, index) => {
      const { pod } = job;
      return [
        rule(`Pod ${index + 1} of the executor has one projected token, of ${TOKEN_SECONDS} s`, pod !== null && projectedTokenSeconds(pod.object).join() === String(TOKEN_SECONDS), [pod]),
        rule(`Pod ${index + 1} of the executor mounts no token of itself`, pod !== null && automountIsOff(pod.object), [pod]),
        rule(`Pod ${index + 1} of the executor runs as the executor's ServiceAccount`, textAt(pod?.object, 'spec', 'serviceAccountName') === CONTRACT_NAMES.executorServiceAccount, [pod]),
        nodesRule(run, job, index + 1),
      ];
    }),
    rule("the token request of generation 3 was made by the executor's ServiceAccount", session?.generation === 3, [session?.request]),
    rule('it was made while the first Pod lived', session !== undefined && own.includes(session.request), [session?.request, first.pod]),
    rule('the API server names the Pod that its token is bound to, and it is the first Pod', own.every(({ event }) => event.podUid === first.pod?.uid && event.podName === first.pod?.name), own),
    nothing('nobody acted in the name of the executor', foreignImpersonations(run).filter(({ event }) => event.impersonatedUser === JOB_ISSUER)),
    nothing("nobody but the node obtained a token of the executor's account", foreignExecutorTokens(run)),
    nothing('nobody went into a Pod of the executor', executorEntries(run)),
  ];
});

/** The Pod's specification says what was wanted; what the node asked of the API server is what was given. */
function nodesRule(run: ObservedRun, job: ExecutorJob, number: number): Rule {
  const asked = tokensOfPod(run, job);
  return rule(`the node asked for the token of Pod ${number} of the executor, of ${TOKEN_SECONDS} s and for the API server alone`, asked.length > 0 && asked.every((request) => wasAskedByANode(request) && isShortLived(run, request)), [job.pod, ...asked]);
}
