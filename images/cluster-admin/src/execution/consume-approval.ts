import { approvalStatusAt, type ApprovalConsumption, type ApprovalRequest } from '../../../core/approval.ts';
import type { ExecutionCommand } from '../../../core/execution.ts';
import { EXECUTOR_AUTHENTICATION_ID, EXECUTOR_SUBJECT } from '../../../core/subject.ts';
import { consumeApprovalRequest } from '../../../postgres/repositories/approval-request.ts';
import { appendCredentialAudit, EXECUTOR_ACTOR } from '../../../postgres/repositories/credential-audit.ts';
import { findDispatch, insertDispatch } from '../../../postgres/repositories/execution-dispatch.ts';
import { lockInTransaction, type Transaction } from '../../../postgres/transaction.ts';
import { requireSameAuthorization } from '../management/authorization.ts';
import { readDatabaseNow } from '../management/database-now.ts';
import { ManagementError } from '../management/management-error.ts';
import { loadAction, type ApprovedAction } from './approved-action.ts';
import { ExecutionError } from './execution-error.ts';

export interface ConsumedAction extends ApprovedAction {
  /** False when this command had consumed the approval before. */
  readonly fresh: boolean;
}

/**
 * Makes the approval's one use of it: version 3, dispatch, pending execution and
 * audit in one transaction. An approval that this very command has consumed before
 * is found again; one that another command has consumed is refused.
 */
export async function consumeApproval(sql: Transaction, command: ExecutionCommand, targetDigest: string): Promise<ConsumedAction> {
  await lockInTransaction(sql, 'approval', command.approvalRequestId);
  const action = await loadAction(sql, command, targetDigest);
  if (action.approval.state === 'consumed') {
    await requireOwnConsumption(sql, command, action.approval);
    return { ...action, fresh: false };
  }
  const nowMs = await readDatabaseNow(sql);
  requireApproved(action.approval, nowMs);
  const consumption = await toConsumption(sql, command, action.approval, nowMs);
  await insertDispatch(sql, action.approval, { ...command, dispatchedById: EXECUTOR_SUBJECT.id, atMs: nowMs });
  await audit(sql, command, action.approval, nowMs);
  if (!(await consumeApprovalRequest(sql, command.approvalRequestId, consumption))) {
    throw new ExecutionError('consumed_concurrently', `request ${command.approvalRequestId} has just been consumed by somebody else`);
  }
  return { ...action, approval: { ...action.approval, version: 3, state: 'consumed', consumption }, fresh: true };
}

async function requireOwnConsumption(sql: Transaction, command: ExecutionCommand, approval: ApprovalRequest): Promise<void> {
  const { consumption } = approval;
  const dispatch = await findDispatch(sql, command.dispatchId);
  const own =
    consumption?.consumptionId === command.consumptionId &&
    consumption.dispatchId === command.dispatchId &&
    consumption.auditEventId === command.auditEventId &&
    dispatch?.consumptionId === command.consumptionId &&
    dispatch.approvalRequestId === command.approvalRequestId &&
    dispatch.actionRef === command.actionRef &&
    dispatch.actionDigest === approval.actionDigest &&
    dispatch.previewDigest === approval.previewDigest;
  if (own) return;
  throw new ExecutionError('consumption_mismatch', `request ${approval.requestId} was consumed by another command: ids of consumption, dispatch and audit must be equal`);
}

function requireApproved(approval: ApprovalRequest, nowMs: number): void {
  const status = approvalStatusAt(approval, nowMs);
  if (status === 'approved') return;
  if (status === 'expired') {
    throw new ExecutionError('approval_expired', `request ${approval.requestId} expired at ${approval.expiresAtMs}, it is ${nowMs}: make a new plan`);
  }
  throw new ExecutionError('not_approved', `request ${approval.requestId} is ${status}, expected approved`);
}

/** The policy speaks once more for both people: what was asked and decided may have been forbidden since. */
async function toConsumption(
  sql: Transaction,
  command: ExecutionCommand,
  approval: ApprovalRequest,
  consumedAtMs: number,
): Promise<ApprovalConsumption> {
  try {
    const fence = await requireSameAuthorization(sql, approval.authorityProjectId, approval.requested, 'worker.manage');
    await requireSameAuthorization(sql, approval.authorityProjectId, approval.decision!, 'approval.decide');
    return {
      consumptionId: command.consumptionId,
      dispatchId: command.dispatchId,
      consumedBy: EXECUTOR_SUBJECT,
      authenticationId: EXECUTOR_AUTHENTICATION_ID,
      auditEventId: command.auditEventId,
      consumedAtMs,
      ...fence,
    };
  } catch (cause) {
    if (!(cause instanceof ManagementError)) throw cause;
    const reason = cause.code === 'QL3_MANAGEMENT_POLICY_CHANGED' ? 'policy_changed' : 'policy_denied';
    throw new ExecutionError(reason, `request ${approval.requestId} cannot be consumed: ${cause.message}`, cause);
  }
}

async function audit(sql: Transaction, command: ExecutionCommand, approval: ApprovalRequest, atMs: number): Promise<void> {
  await appendCredentialAudit(sql, {
    eventId: command.auditEventId,
    occurredAtMs: atMs,
    action: 'approval.consume',
    outcome: 'allowed',
    actor: EXECUTOR_ACTOR,
    projectId: approval.authorityProjectId,
    resource: { type: 'approval_request', id: approval.requestId },
    reasonCode: null,
    details: { actionRef: approval.actionRef, actionDigest: approval.actionDigest, dispatchId: command.dispatchId, consumptionId: command.consumptionId },
  });
}
