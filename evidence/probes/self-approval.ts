import { fact, type ObservedRun } from '../facts/observed-run.ts';
import { probeResult } from '../facts/probe-results.ts';
import { textIn } from '../facts/rows.ts';
import { rule, verdict } from '../verdict.ts';
import { refusalRules, requestOf } from './refused-action.ts';

/** A requester tried to decide the own request, and it is still pending. */
export const selfApproval = fact((run: ObservedRun) => {
  const result = probeResult(run, 'self-approval');
  const request = requestOf(run, result?.facts.actionRef);
  const pending = request !== null && textIn(request, 'state') === 'pending' && textIn(request, 'decided_by_id') === null;
  return verdict([...refusalRules(run, 'self-approval'), rule('the request is still pending', pending, [result, request])]);
});
