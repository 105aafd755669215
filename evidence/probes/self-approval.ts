import type { ObservedRun } from '../facts/observed-run.ts';
import { probeResult } from '../facts/probe-results.ts';
import { numberIn, textIn } from '../facts/rows.ts';
import { judged, rule } from '../verdict.ts';
import { mightHaveGoneOn, planOf, refusalRules, requestOf } from './refused-action.ts';

/** A requester tried to decide the own request, and it is still pending. */
export const selfApproval = judged((run: ObservedRun) => {
  const result = probeResult(run, 'self-approval');
  const request = requestOf(run, result?.facts.actionRef);
  const plan = planOf(run, result?.facts.actionRef);
  const untilMs = result?.window.toMs ?? NaN;
  const pending = request !== null && textIn(request, 'state') === 'pending' && textIn(request, 'decided_by_id') === null;
  return [
    ...refusalRules(run, 'self-approval'),
    mightHaveGoneOn(run, plan, untilMs),
    rule('whoever planned it had requested it, and nothing had expired', textIn(request, 'requested_by_id') === textIn(plan, 'requested_by_id') && [plan, request].every((row) => numberIn(row, 'expires_at_ms') >= untilMs), [result, plan, request]),
    rule('the request is still pending', pending, [result, request]),
  ];
});
