import { CLOCK_BOUND_MS } from '../clock-bound.ts';
import type { ObservedRun } from '../facts/observed-run.ts';
import { probeResult } from '../facts/probe-results.ts';
import { numberIn, textIn } from '../facts/rows.ts';
import { judged, rule } from '../verdict.ts';
import { bindingsOf, planOf, refusalRules, requestOf } from './refused-action.ts';

/** A user whose role had been taken away tried to act, or to have an action executed. */
export const revokedBinding = judged((run: ObservedRun) => {
  const result = probeResult(run, 'revoked-binding');
  const plan = planOf(run, result?.facts.actionRef);
  const bindings = bindingsOf(run, plan, result?.facts.userId ?? null);
  const latest = bindings.at(-1);
  const revokedMs = textIn(latest, 'state') === 'revoked' && textIn(bindings.at(-2), 'state') === 'active' ? numberIn(latest, 'bound_at_ms') : NaN;
  const request = requestOf(run, result?.facts.actionRef);
  return [
    ...refusalRules(run, 'revoked-binding'),
    rule('the user had asked for the action, and it was approved', textIn(plan, 'requested_by_id') === result?.facts.userId && textIn(request, 'state') === 'approved' && textIn(request, 'requested_by_id') === result?.facts.userId, [plan, request]),
    rule("the user's binding was revoked after the decision and before the attempt", revokedMs + CLOCK_BOUND_MS >= numberIn(request, 'decided_at_ms') && revokedMs <= (result?.window.fromMs ?? NaN) + 2 * CLOCK_BOUND_MS, [result, request, ...bindings]),
  ];
});
