import { CLOCK_BOUND_MS } from '../clock-bound.ts';
import { actionChains } from '../facts/actions.ts';
import { foreignDeliveryTokens } from '../facts/foreign-tokens.ts';
import type { ObservedRun } from '../facts/observed-run.ts';
import { numberIn } from '../facts/rows.ts';
import { ISSUER_OF, tokenRequests, tokenSessions } from '../facts/token-sessions.ts';
import { judged, nothing, rule } from '../verdict.ts';

/** For each of the four, the database had consumed the approval and started the execution before the API server was asked for a token. */
export const approvalConsumedBeforeTokenRequest = judged((run: ObservedRun) => {
  const sessions = tokenSessions(run);
  const chains = actionChains(run);
  return [
    rule('four token requests, no more', tokenRequests(run).length === 4, tokenRequests(run)),
    nothing("nobody but its issuers obtained a token of the delivery's account", foreignDeliveryTokens(run)),
    ...chains.flatMap(({ generation, request, execution }) => {
      const session = sessions.find((each) => each.generation === generation);
      const requestedMs = session?.request.receivedMs ?? NaN;
      return [
        rule(`the token of generation ${generation} was requested by its issuer`, session?.request.identity === ISSUER_OF[generation], [session?.request]),
        rule(`approval ${generation} was consumed before the token request`, numberIn(request, 'consumed_at_ms') <= requestedMs + CLOCK_BOUND_MS, [request, session?.request]),
        rule(`execution ${generation} was started before the token request and completed after it`,
          numberIn(execution, 'started_at_ms') <= requestedMs + CLOCK_BOUND_MS && numberIn(execution, 'completed_at_ms') >= requestedMs - CLOCK_BOUND_MS,
          [execution, session?.request]),
      ];
    }),
  ];
});
