import { CONTRACT_NAMES } from '../contract-names.ts';
import { agreementRules } from '../facts/action-agreement.ts';
import { actionChains, approvalRequests, dispatches, otherActions, plans, publishedRow, type Action } from '../facts/actions.ts';
import { executionResultDigest } from '../digests.ts';
import { credentialRules } from '../facts/credential-lives.ts';
import { ledgerRule } from '../facts/delivery-ledger.ts';
import { fact, type ObservedRun } from '../facts/observed-run.ts';
import { numberIn, rowsOf, textIn } from '../facts/rows.ts';
import { selfApproval } from '../probes/self-approval.ts';
import { rule, ruleOf, verdict, type Rule } from '../verdict.ts';

/** Assurance that counts as strong authentication of a user. */
const STRONG = new Set(['multi_factor', 'hardware', 'local_console']);

/** Four plans, requests and dispatches are in the database, each asked by one strong user and decided by another. */
export const strongUserPlanApprovalAndDispatchPersisted = fact((run: ObservedRun) =>
  verdict([
    rule('four plans, four requests, four dispatches', [plans(run), approvalRequests(run), dispatches(run)].every((rows) => rows.length === 4), [...plans(run), ...approvalRequests(run), ...dispatches(run)]),
    ...actionChains(run).flatMap((chain) => actionRules(run, chain, `of generation ${chain.generation}`)),
    ...[...otherActions(run)].flatMap(([credentialId, action]) => actionRules(run, action, `of ${credentialId}`)),
    ...credentialRules(run),
    ledgerRule(run),
    rule('nobody decided what they had asked for, in any project', rowsOf(run, 'approval_requests').every((row) => textIn(row, 'decided_by_id') === null || textIn(row, 'decided_by_id') !== textIn(row, 'requested_by_id')), rowsOf(run, 'approval_requests')),
    ruleOf('the probe of self-approval was refused', selfApproval(run)),
  ]),
);

function actionRules(run: ObservedRun, chain: Action, of: string): Rule[] {
  const { plan, request, dispatch, execution, deliveries } = chain;
  return [
    rule(`the plan ${of} is asked by ${CONTRACT_NAMES.requester}`, textIn(plan, 'requested_by_id') === CONTRACT_NAMES.requester, [plan]),
    rule(`the request ${of} is bound to the plan's digest`, plan !== null && textIn(request, 'action_digest') === textIn(plan, 'plan_digest'), [plan, request]),
    rule(`requester and decider ${of} are two strong users`, isStrongPair(chain), [request]),
    rule(`the request ${of} is consumed at version 3`, textIn(request, 'state') === 'consumed' && numberIn(request, 'version') === 3, [request]),
    rule(`the dispatch ${of} carries the request's consumption and digest`, isDispatchOf(chain), [request, dispatch]),
    rule(`the execution ${of} succeeded with the digest of its publication`, isResultOf(chain), [execution, ...deliveries]),
    rule(`the four audit rows ${of} are there and say the same`, chain.audits.length === 4, chain.audits),
    ...agreementRules(run, chain, of),
  ];
}

function isStrongPair({ request }: Action): boolean {
  return (
    textIn(request, 'requested_by_id') === CONTRACT_NAMES.requester &&
    textIn(request, 'decided_by_id') === CONTRACT_NAMES.decider &&
    textIn(request, 'decision') === 'approved' &&
    textIn(request, 'requested_authentication_id') !== textIn(request, 'decided_authentication_id') &&
    request?.columns['separation_of_duty'] === true &&
    STRONG.has(textIn(request, 'requested_assurance') ?? '') &&
    STRONG.has(textIn(request, 'decided_assurance') ?? '')
  );
}

function isDispatchOf({ request, dispatch }: Action): boolean {
  if (request === null || dispatch === null) return false;
  return ['dispatch_id', 'consumption_id', 'action_ref', 'action_digest', 'preview_digest'].every((column) => textIn(request, column) !== null && textIn(request, column) === textIn(dispatch, column));
}

function isResultOf(chain: Action): boolean {
  const row = publishedRow(chain);
  if (row === null || textIn(chain.execution, 'state') !== 'succeeded') return false;
  const digest = executionResultDigest({
    deliveryId: textIn(row, 'delivery_id') ?? '',
    credentialId: textIn(row, 'credential_id') ?? '',
    workerId: textIn(row, 'worker_id') ?? '',
    deploymentGeneration: textIn(row, 'deployment_generation') ?? '',
    publicationDigest: textIn(row, 'publication_digest') ?? '',
  });
  return textIn(chain.execution, 'result_digest') === digest;
}
