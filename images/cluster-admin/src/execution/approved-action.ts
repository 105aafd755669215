import { actionBindingOf, bindingDifferences, type ApprovalRequest } from '../../../core/approval.ts';
import type { ExecutionCommand } from '../../../core/execution.ts';
import type { ManagementPlan } from '../../../core/management-plan.ts';
import { findApprovalRequest } from '../../../postgres/repositories/approval-request.ts';
import { findManagementPlan } from '../../../postgres/repositories/management-plan.ts';
import type { Transaction } from '../../../postgres/transaction.ts';
import { ExecutionError } from './execution-error.ts';

export interface ApprovedAction {
  readonly plan: ManagementPlan;
  readonly approval: ApprovalRequest;
}

/** Loads plan and approval of a command and checks that command, plan, approval and target are about one and the same thing. */
export async function loadAction(sql: Transaction, command: ExecutionCommand, targetDigest: string): Promise<ApprovedAction> {
  const plan = await findManagementPlan(sql, command.actionRef);
  if (plan === null) throw new ExecutionError('plan_not_found', `there is no plan of action ${command.actionRef}`);
  const approval = await findApprovalRequest(sql, command.approvalRequestId);
  if (approval === null) throw new ExecutionError('approval_not_found', `there is no approval request ${command.approvalRequestId}`);
  const [difference] = bindingDifferences(approval, actionBindingOf(plan));
  if (difference !== undefined) {
    throw new ExecutionError('binding_mismatch', `request ${approval.requestId} does not approve plan ${plan.actionRef}: ${difference} differs`);
  }
  if (approval.authorityProjectId !== plan.authorityProjectId || approval.requested.subject.id !== plan.requestedBy.id) {
    throw new ExecutionError('binding_mismatch', `request ${approval.requestId} and plan ${plan.actionRef} differ in project or requester`);
  }
  if (plan.target.deploymentTargetDigest !== targetDigest) {
    throw new ExecutionError('target_mismatch', `plan ${plan.actionRef} is for target ${plan.target.deploymentTargetDigest}, this executor delivers to ${targetDigest}`);
  }
  return { plan, approval };
}
