import { actionBindingOf, MAXIMUM_APPROVAL_LIFE_MS, type ApprovalRequest, type Authorized } from '../../../core/approval.ts';
import { assertRequestId, assertUuidV4 } from '../../../core/identifiers.ts';
import type { ManagementPlan } from '../../../core/management-plan.ts';
import type { Database } from '../../../postgres/connection.ts';
import { findApprovalRequest, insertApprovalRequest } from '../../../postgres/repositories/approval-request.ts';
import { appendCredentialAudit } from '../../../postgres/repositories/credential-audit.ts';
import { findManagementPlan } from '../../../postgres/repositories/management-plan.ts';
import { inTransaction, type Transaction } from '../../../postgres/transaction.ts';
import { requirePermission } from './authorization.ts';
import { readDatabaseNow } from './database-now.ts';
import { ManagementError } from './management-error.ts';
import { assertStrongPrincipal, type Principal } from './principal.ts';

export interface ProposalRequest {
  readonly actionRef: string;
  readonly requestId: string;
  readonly auditEventId: string;
  /** What the requester has seen and asks approval for. */
  readonly planDigest: string;
  readonly previewDigest: string;
  /** 15 minutes if not given, which is also the most; it never reaches past the plan's expiry. */
  readonly lifeMs?: number;
}

/** Asks for approval of a plan, on the requester's own behalf. Repeating it returns the same request. */
export async function proposeCredentialAction(
  database: Database,
  principal: Principal,
  proposal: ProposalRequest,
  signal?: AbortSignal,
): Promise<ApprovalRequest> {
  assertRequestId(proposal.requestId, 'the request id');
  assertUuidV4(proposal.auditEventId, 'the audit event id');
  return inTransaction(database, (sql) => propose(sql, principal, proposal), signal === undefined ? {} : { signal });
}

async function propose(sql: Transaction, principal: Principal, proposal: ProposalRequest): Promise<ApprovalRequest> {
  const nowMs = await readDatabaseNow(sql);
  assertStrongPrincipal(principal, nowMs);
  const plan = await requirePlan(sql, principal, proposal);
  const fence = await requirePermission(sql, plan.authorityProjectId, principal.subject, 'worker.manage');
  const existing = await findApprovalRequest(sql, proposal.requestId);
  if (existing !== null) return requireSame(existing, plan);
  if (nowMs >= plan.expiresAtMs) {
    throw new ManagementError('QL3_MANAGEMENT_PLAN_EXPIRED', `plan ${plan.actionRef} expired at ${plan.expiresAtMs}, it is ${nowMs}: make a new plan`);
  }
  const { subject, authenticationId, assurance } = principal;
  const { auditEventId } = proposal;
  const request = toRequest(plan, proposal, { subject, authenticationId, assurance, auditEventId, atMs: nowMs, ...fence });
  await audit(sql, request);
  if (await insertApprovalRequest(sql, request, plan.expiresAtMs)) return request;
  throw new ManagementError('QL3_MANAGEMENT_APPROVAL_CONFLICT', `action ${plan.actionRef} has an approval request already`);
}

async function requirePlan(sql: Transaction, principal: Principal, proposal: ProposalRequest): Promise<ManagementPlan> {
  const plan = await findManagementPlan(sql, proposal.actionRef);
  if (plan === null) throw new ManagementError('QL3_MANAGEMENT_PLAN_NOT_FOUND', `there is no plan of action ${proposal.actionRef}`);
  if (plan.requestedBy.id !== principal.subject.id) {
    throw new ManagementError('QL3_MANAGEMENT_REQUESTER_MISMATCH', `plan ${plan.actionRef} belongs to ${plan.requestedBy.id}: only they can propose it`);
  }
  for (const digest of ['planDigest', 'previewDigest'] as const) {
    if (plan[digest] !== proposal[digest]) {
      throw new ManagementError('QL3_MANAGEMENT_PLAN_DIGEST_MISMATCH', `plan ${plan.actionRef}: ${digest} is not the one proposed, read the plan again`);
    }
  }
  return plan;
}

function requireSame(existing: ApprovalRequest, plan: ManagementPlan): ApprovalRequest {
  if (existing.actionDigest === plan.planDigest && existing.requested.subject.id === plan.requestedBy.id) return existing;
  throw new ManagementError('QL3_MANAGEMENT_APPROVAL_CONFLICT', `request ${existing.requestId} is for action ${existing.actionRef}: choose another request id`);
}

function toRequest(plan: ManagementPlan, proposal: ProposalRequest, requested: Authorized): ApprovalRequest & { readonly version: 1 } {
  const { lifeMs = MAXIMUM_APPROVAL_LIFE_MS } = proposal;
  if (!Number.isSafeInteger(lifeMs) || lifeMs < 1 || lifeMs > MAXIMUM_APPROVAL_LIFE_MS) {
    throw new ManagementError('QL3_MANAGEMENT_REQUEST_INVALID', `lifeMs: expected 1 to ${MAXIMUM_APPROVAL_LIFE_MS}, got ${lifeMs}`);
  }
  return {
    requestId: proposal.requestId,
    version: 1,
    state: 'pending',
    authorityProjectId: plan.authorityProjectId,
    ...actionBindingOf(plan),
    risk: 'high',
    separationOfDuty: true,
    requested,
    expiresAtMs: Math.min(requested.atMs + lifeMs, plan.expiresAtMs),
    decision: null,
    consumption: null,
  };
}

async function audit(sql: Transaction, request: ApprovalRequest): Promise<void> {
  await appendCredentialAudit(sql, {
    eventId: request.requested.auditEventId,
    occurredAtMs: request.requested.atMs,
    action: 'approval.request',
    outcome: 'approval_required',
    actor: request.requested,
    projectId: request.authorityProjectId,
    resource: { type: 'approval_request', id: request.requestId },
    reasonCode: null,
    details: { actionRef: request.actionRef, actionDigest: request.actionDigest },
  });
}
