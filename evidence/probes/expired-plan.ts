import { CLOCK_BOUND_MS } from '../clock-bound.ts';
import type { ObservedRun } from '../facts/observed-run.ts';
import { probeResult } from '../facts/probe-results.ts';
import { numberIn } from '../facts/rows.ts';
import { judged, rule } from '../verdict.ts';
import { mightHaveGoneOn, planOf, refusalRules, requestOf } from './refused-action.ts';

/** A plan was used after its time. */
export const expiredPlan = judged((run: ObservedRun) => {
  const result = probeResult(run, 'expired-plan');
  const plan = planOf(run, result?.facts.actionRef);
  return [
    ...refusalRules(run, 'expired-plan'),
    mightHaveGoneOn(run, plan, result?.window.toMs ?? NaN),
    rule('the plan had expired when it was proposed', numberIn(plan, 'expires_at_ms') <= (result?.window.fromMs ?? NaN) + 2 * CLOCK_BOUND_MS, [result, plan]),
    rule('nothing was requested', requestOf(run, result?.facts.actionRef) === null, [result]),
  ];
});
