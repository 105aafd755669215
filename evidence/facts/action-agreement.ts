import { CLOCK_BOUND_MS } from '../clock-bound.ts';
import { rule, type Rule } from '../verdict.ts';
import { auditOfMutation, type Action } from './actions.ts';
import type { ObservedRun } from './observed-run.ts';
import { isRising } from './rising.ts';
import { numberIn, rowsOf, rowsWhere, textIn, type Row } from './rows.ts';

/** Whether all that the database says of one action can be true of one and the same action. */
export function agreementRules(run: ObservedRun, chain: Action, of: string): Rule[] {
  const { plan, request, dispatch, execution, credential, mutation, revocation, deliveries } = chain;
  return [
    rule(`plan, request, dispatch and execution ${of} are of one action`, isOneAction(chain), [plan, request, dispatch, execution]),
    rule(`credential and deliveries ${of} are what was planned`, isAsPlanned(chain), [plan, credential, mutation, ...deliveries]),
    rule(`planned, requested, decided, consumed, dispatched, claimed, started, issued and completed ${of} follow each other, before the approval expired`, isInOrder(chain), [plan, request, dispatch, execution, mutation]),
    rule(`whoever asked ${of} and whoever decided were bound to the project then, at the versions that the request names`, wereBound(run, request), [request, ...rowsOf(run, 'project_role_bindings')]),
    rule(`the execution ${of} was claimed once and holds no lease any more`, isClaimedOnce(execution), [execution]),
    rule(`what was observed ${of} is a session of its Worker with its credential, and its predecessor was revoked then or before`, wereObserved(run, chain), deliveries),
    rule(`the credential ${of} is revoked if and only if its revocation was written down`, isRevokedByRecord(run, chain), [credential, revocation]),
  ];
}

function isOneAction({ plan, request, dispatch, execution }: Action): boolean {
  const [actionRef, actionType] = [textIn(plan, 'action_ref'), `worker_credential.delivery.${textIn(plan, 'action')}`];
  return (
    actionRef !== null &&
    [dispatch, execution].every((row) => textIn(row, 'action_ref') === actionRef) &&
    [plan, dispatch].every((row) => textIn(row, 'action_type') === actionType) &&
    textIn(plan, 'action') === (textIn(plan, 'previous_credential_id') === null ? 'issue' : 'rotate') &&
    isRequestOf(plan, request) &&
    textIn(dispatch, 'dispatched_by_id') === textIn(request, 'consumed_by_id')
  );
}

/** What a request says of the plan that it is for. */
export function isRequestOf(plan: Row | null, request: Row | null): boolean {
  return ['action_ref', 'action_type', 'preview_digest'].every((column) => textIn(request, column) === textIn(plan, column)) && textIn(request, 'action_digest') === textIn(plan, 'plan_digest') && numberIn(request, 'plan_expires_at_ms') === numberIn(plan, 'expires_at_ms');
}

const PLANNED_OF_DELIVERY = ['delivery_id', 'worker_id', 'credential_id', 'previous_credential_id', 'deployment_generation', 'deployment_target_digest'] as const;

function isAsPlanned({ plan, credential, mutation, deliveries }: Action): boolean {
  const agree = (row: Row | null, columns: readonly string[]): boolean => plan !== null && row !== null && columns.every((column) => textIn(row, column) === textIn(plan, column));
  return (
    deliveries.length > 0 &&
    deliveries.every((row) => agree(row, PLANNED_OF_DELIVERY)) &&
    agree(mutation, ['delivery_id', 'worker_id', 'credential_id']) &&
    agree(credential, ['worker_id', 'credential_id']) &&
    numberIn(credential, 'not_before_at_ms') === numberIn(plan, 'credential_not_before_at_ms') &&
    numberIn(credential, 'expires_at_ms') === numberIn(plan, 'credential_expires_at_ms') &&
    numberIn(credential, 'issued_at_ms') === numberIn(mutation, 'mutated_at_ms')
  );
}

function isInOrder({ plan, request, dispatch, execution, mutation }: Action): boolean {
  const consumedMs = numberIn(request, 'consumed_at_ms');
  return (
    isRising([
      numberIn(plan, 'planned_at_ms'),
      numberIn(request, 'requested_at_ms'),
      numberIn(request, 'decided_at_ms'),
      consumedMs,
      numberIn(dispatch, 'dispatched_at_ms'),
      numberIn(execution, 'claimed_at_ms'),
      numberIn(execution, 'started_at_ms'),
      numberIn(mutation, 'mutated_at_ms'),
      numberIn(execution, 'completed_at_ms'),
    ]) &&
    isRising([numberIn(request, 'requested_at_ms'), numberIn(plan, 'expires_at_ms')]) &&
    isRising([consumedMs, numberIn(request, 'expires_at_ms')])
  );
}

/** Roles in a project that permit it. */
const MAY: Readonly<Record<string, readonly (string | null)[]>> = { requested: ['owner', 'operator'], decided: ['owner', 'approver'] };

/** The consumption names the requester's binding again: the policy was asked once more. */
function wereBound(run: ObservedRun, request: Row | null): boolean {
  const project = rowsWhere(rowsOf(run, 'projects'), 'project_id', textIn(request, 'authority_project_id'));
  return ([['requested', 'requested'], ['decided', 'decided'], ['consumed', 'requested']] as const).every(([step, who]) => {
    const atMs = numberIn(request, `${step}_at_ms`);
    const bindings = rowsWhere(rowsWhere(rowsOf(run, 'project_role_bindings'), 'project_id', textIn(request, 'authority_project_id')), 'subject_id', textIn(request, `${who}_by_id`));
    const version = numberIn(request, `${step}_binding_version`);
    const named = bindings.find((row) => textIn(row, 'subject_type') === 'user' && numberIn(row, 'version') === version);
    const laterMs = bindings.filter((row) => numberIn(row, 'version') > version).map((row) => numberIn(row, 'bound_at_ms'));
    return (
      textIn(named, 'state') === 'active' &&
      MAY[who]?.includes(textIn(named, 'role')) === true &&
      numberIn(named, 'bound_at_ms') <= atMs + CLOCK_BOUND_MS &&
      laterMs.every((laterBoundMs) => laterBoundMs + CLOCK_BOUND_MS >= atMs) &&
      project.length === 1 &&
      textIn(project[0], 'state') === 'active' &&
      numberIn(project[0], 'version') >= numberIn(request, `${step}_project_version`)
    );
  });
}

function isClaimedOnce(execution: Row | null): boolean {
  return numberIn(execution, 'attempt') === 1 && ['lease_token', 'lease_expires_at_ms', 'retry_at_ms', 'reason_code'].every((column) => execution?.columns[column] === null);
}

function isRevokedByRecord(run: ObservedRun, { credential, revocation }: Action): boolean {
  if (credential === null) return false;
  if (revocation === null) return textIn(credential, 'state') === 'active' && credential.columns['revoked_at_ms'] === null;
  return textIn(credential, 'state') === 'revoked' && numberIn(credential, 'revoked_at_ms') >= numberIn(revocation, 'mutated_at_ms') && auditOfMutation(run, revocation) !== null;
}

/** From version 3 on a delivery was observed, in version 4 its predecessor is revoked; before, neither is said. */
function wereObserved(run: ObservedRun, { deliveries }: Action): boolean {
  const said = (row: Row | undefined, column: string): boolean => typeof row?.columns[column] === 'number';
  return deliveries.every((row) => {
    const version = numberIn(row, 'version');
    const revoked = rowsWhere(rowsOf(run, 'worker_credentials'), 'credential_id', textIn(row, 'previous_credential_id'))[0];
    const predecessorFits = version >= 4 ? numberIn(revoked, 'revoked_at_ms') <= numberIn(row, 'previous_revoked_at_ms') : !said(row, 'previous_revoked_at_ms');
    if (version < 3) return predecessorFits && !said(row, 'observed_at_ms');
    const session = rowsWhere(rowsWhere(rowsOf(run, 'worker_session_history'), 'worker_id', textIn(row, 'worker_id')), 'session_id', textIn(row, 'observed_session_id'));
    const seen = session.find((state) => numberIn(state, 'version') === numberIn(row, 'observed_session_version'));
    return predecessorFits && textIn(seen, 'credential_id') === textIn(row, 'credential_id') && numberIn(seen, 'recorded_at_ms') <= numberIn(row, 'observed_at_ms');
  });
}
