import { recoverySessions, requestsOutsideSessions, tokenSessions, tokensAreDistinct } from '../facts/token-sessions.ts';
import type { ObservedRun } from '../facts/observed-run.ts';
import { probeTokenRule } from '../facts/probe-sessions.ts';
import { disposedClient } from '../probes/disposed-client.ts';
import { judged, rule, ruleOf } from '../verdict.ts';

/** Nothing was done under a token once its session had ended, and a kept client throws. */
export const tokenRequestSessionDisposed = judged((run: ObservedRun) => {
  const sessions = tokenSessions(run);
  const late = requestsOutsideSessions(run);
  const recovered = recoverySessions(run);
  const host = sessions.filter(({ generation }) => generation !== 3);
  return [
    rule('the end of each of the four sessions is known', sessions.length === 4 && sessions.every(({ endedMs }) => !Number.isNaN(endedMs)), sessions.flatMap(({ request, account }) => [request, account])),
    rule('each host session says that its client was disposed', host.length === 3 && host.every(({ account }) => account?.body.clientDisposed === true), host.map(({ account }) => account)),
    rule('each recovery pass says that its client was disposed', recovered.every(({ account }) => account?.body.clientDisposed === true), recovered.flatMap(({ request, account }) => [request, account])),
    rule('no request of the delivery identity lies outside its sessions', late.length === 0, late),
    rule('each session used one token of its own', tokensAreDistinct(sessions), sessions.flatMap(({ work }) => work)),
    probeTokenRule(run),
    ruleOf('the disposed client threw', disposedClient(run)),
  ];
});
