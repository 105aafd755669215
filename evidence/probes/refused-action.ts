import { CLOCK_BOUND_MS } from '../clock-bound.ts';
import { isRequestOf } from '../facts/action-agreement.ts';
import { isOnRecord } from '../facts/actions.ts';
import { fact, type ObservedRun } from '../facts/observed-run.ts';
import { probeResult, type ProbeResult } from '../facts/probe-results.ts';
import { byVersion, numberIn, rowsOf, rowsWhere, textIn, type Row } from '../facts/rows.ts';
import { rule, type Rule } from '../verdict.ts';

export type RefusedActionProbe = 'self-approval' | 'expired-plan' | 'wrong-digest' | 'revoked-binding';

export function planOf(run: ObservedRun, actionRef: string | undefined): Row | null {
  return rowsWhere(rowsOf(run, 'worker_credential_management_plans'), 'action_ref', actionRef ?? null)[0] ?? null;
}

export function requestOf(run: ObservedRun, actionRef: string | undefined): Row | null {
  return rowsWhere(rowsOf(run, 'approval_requests'), 'action_ref', actionRef ?? null)[0] ?? null;
}

const dispatchedActions = fact((run: ObservedRun) => new Set(rowsOf(run, 'approved_action_dispatches').map((row) => textIn(row, 'action_ref'))));
const deliveredIds = fact((run: ObservedRun) => new Set(rowsOf(run, 'worker_credential_deliveries').map((row) => textIn(row, 'delivery_id'))));

/**
 * Who must have refused, by the code that it gives. A refusal from further behind (a constraint of the database), or a failure that
 * has nothing to do with the attempt, shows nothing of the check that is asked about.
 */
const REFUSED_WITH: Readonly<Record<RefusedActionProbe, string>> = {
  'self-approval': 'QL3_MANAGEMENT_SELF_APPROVAL',
  'expired-plan': 'QL3_MANAGEMENT_PLAN_EXPIRED',
  'wrong-digest': 'QL3_MANAGEMENT_PLAN_DIGEST_MISMATCH',
  'revoked-binding': 'QL3_WORKER_CREDENTIAL_EXECUTION_REFUSED',
};

/** Bindings of the user to the project of the plan, by version. */
export function bindingsOf(run: ObservedRun, plan: Row | null, userId: string | null): readonly Row[] {
  const inProject = rowsWhere(rowsOf(run, 'project_role_bindings'), 'project_id', textIn(plan, 'authority_project_id'));
  return byVersion(rowsWhere(inProject, 'subject_id', userId));
}

/** Whether whoever planned it could have gone on, but for what is asked about: an owner of the project then. */
export function mightHaveGoneOn(run: ObservedRun, plan: Row | null, atMs: number): Rule {
  const bound = bindingsOf(run, plan, textIn(plan, 'requested_by_id')).filter((row) => numberIn(row, 'bound_at_ms') <= atMs);
  const latest = bound.at(-1);
  return rule('whoever planned it was an owner of the project then', textIn(latest, 'role') === 'owner' && textIn(latest, 'state') === 'active', [plan, ...bound]);
}

/** The attempt was refused by the check that is meant to, and the database knows of no authority that came of it. */
export function refusalRules(run: ObservedRun, probe: RefusedActionProbe): Rule[] {
  const result: ProbeResult<RefusedActionProbe> | null = probeResult(run, probe);
  const plan = planOf(run, result?.facts.actionRef);
  const request = requestOf(run, result?.facts.actionRef);
  const nothingCame = plan !== null && !dispatchedActions(run).has(textIn(plan, 'action_ref')) && !deliveredIds(run).has(textIn(plan, 'delivery_id'));
  return [
    rule(`the probe was made once and refused with ${REFUSED_WITH[probe]}`, result?.facts.errorCode === REFUSED_WITH[probe] && result.outcome === REFUSED_WITH[probe], [result]),
    rule('its plan was there before', numberIn(plan, 'planned_at_ms') <= (result?.window.fromMs ?? Number.NaN) + 2 * CLOCK_BOUND_MS, [result, plan]),
    rule('its request is the one that the database has of that action, or none', result?.facts.approvalRequestId === textIn(request, 'request_id'), [result, request]),
    rule('what its request says, the plan and the security audit say too', request === null || (isRequestOf(plan, request) && isOnRecord(run, request)), [plan, request]),
    rule('its plan was never dispatched and nothing was delivered', nothingCame, [result, plan]),
  ];
}
