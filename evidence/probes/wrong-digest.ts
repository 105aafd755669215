import type { ObservedRun } from '../facts/observed-run.ts';
import { probeResult } from '../facts/probe-results.ts';
import { numberIn } from '../facts/rows.ts';
import { judged, rule } from '../verdict.ts';
import { mightHaveGoneOn, planOf, refusalRules, requestOf } from './refused-action.ts';

/** A plan was proposed under a digest that is not its own; the digest alone was wrong with it. */
export const wrongDigest = judged((run: ObservedRun) => {
  const result = probeResult(run, 'wrong-digest');
  const plan = planOf(run, result?.facts.actionRef);
  return [
    ...refusalRules(run, 'wrong-digest'),
    mightHaveGoneOn(run, plan, result?.window.toMs ?? NaN),
    rule('the plan had not expired', numberIn(plan, 'expires_at_ms') >= (result?.window.toMs ?? NaN), [result, plan]),
    rule('nothing was requested', requestOf(run, result?.facts.actionRef) === null, [result]),
  ];
});
