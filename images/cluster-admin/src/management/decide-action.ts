import { approvalStatusAt, type ApprovalDecision, type ApprovalRequest, type Authorized } from '../../../core/approval.ts';
import { assertReasonCode, assertRequestId, assertUuidV4 } from '../../../core/identifiers.ts';
import type { Database } from '../../../postgres/connection.ts';
import { decideApprovalRequest, findApprovalRequest } from '../../../postgres/repositories/approval-request.ts';
import { appendCredentialAudit } from '../../../postgres/repositories/credential-audit.ts';
import { inTransaction, lockInTransaction, type Transaction } from '../../../postgres/transaction.ts';
import { requirePermission, requireSameAuthorization } from './authorization.ts';
import { readDatabaseNow } from './database-now.ts';
import { ManagementError } from './management-error.ts';
import { assertStrongPrincipal, type Principal } from './principal.ts';

export interface DecisionRequest {
  readonly requestId: string;
  readonly decisionId: string;
  readonly auditEventId: string;
  readonly decision: ApprovalDecision;
  readonly reasonCode: string;
  /** The version that the decider has read. */
  readonly expectedVersion: number;
  /** The digests that the decider has read. */
  readonly actionDigest: string;
  readonly previewDigest: string;
}

/** Decides about somebody else's request. Repeating the same decision returns the same request. */
export async function decideCredentialAction(
  database: Database,
  principal: Principal,
  decision: DecisionRequest,
  signal?: AbortSignal,
): Promise<ApprovalRequest> {
  assertRequestId(decision.requestId, 'the request id');
  assertRequestId(decision.decisionId, 'the decision id');
  assertUuidV4(decision.auditEventId, 'the audit event id');
  assertReasonCode(decision.reasonCode, 'the reason code');
  if (decision.decision !== 'approved' && decision.decision !== 'rejected') {
    throw new ManagementError('QL3_MANAGEMENT_REQUEST_INVALID', 'decision: expected approved or rejected');
  }
  return inTransaction(database, (sql) => decide(sql, principal, decision), signal === undefined ? {} : { signal });
}

async function decide(sql: Transaction, principal: Principal, decision: DecisionRequest): Promise<ApprovalRequest> {
  await lockInTransaction(sql, 'approval', decision.requestId);
  const nowMs = await readDatabaseNow(sql);
  assertStrongPrincipal(principal, nowMs);
  const request = await requireRequest(sql, principal, decision);
  const fence = await requirePermission(sql, request.authorityProjectId, principal.subject, 'approval.decide');
  if (request.decision?.decisionId === decision.decisionId) return requireSame(request, principal, decision);
  requireOpen(request, decision, nowMs);
  await requireSameAuthorization(sql, request.authorityProjectId, request.requested, 'worker.manage');
  const { subject, authenticationId, assurance } = principal;
  const by: Authorized = { subject, authenticationId, assurance, auditEventId: decision.auditEventId, atMs: nowMs, ...fence };
  await audit(sql, request, decision, by);
  if (!(await decideApprovalRequest(sql, { ...decision, by }))) throw conflict(request, 'has just been decided by somebody else');
  return { ...request, version: 2, state: decision.decision, decision: { ...by, decisionId: decision.decisionId, decision: decision.decision, reasonCode: decision.reasonCode } };
}

async function requireRequest(sql: Transaction, principal: Principal, decision: DecisionRequest): Promise<ApprovalRequest> {
  const request = await findApprovalRequest(sql, decision.requestId);
  if (request === null) throw new ManagementError('QL3_MANAGEMENT_APPROVAL_NOT_FOUND', `there is no approval request ${decision.requestId}`);
  if (request.requested.subject.id === principal.subject.id) {
    throw new ManagementError('QL3_MANAGEMENT_SELF_APPROVAL', `request ${request.requestId} was made by ${principal.subject.id}: another user must decide`);
  }
  if (request.actionDigest !== decision.actionDigest || request.previewDigest !== decision.previewDigest) {
    throw new ManagementError('QL3_MANAGEMENT_PLAN_DIGEST_MISMATCH', `request ${request.requestId} is about another plan than the one decided on: read it again`);
  }
  return request;
}

function requireSame(request: ApprovalRequest, principal: Principal, decision: DecisionRequest): ApprovalRequest {
  const made = request.decision;
  if (made?.decision === decision.decision && made.reasonCode === decision.reasonCode && made.subject.id === principal.subject.id) return request;
  throw conflict(request, `was ${made?.decision} under this decision id already`);
}

function requireOpen(request: ApprovalRequest, decision: DecisionRequest, nowMs: number): void {
  const status = approvalStatusAt(request, nowMs);
  if (status === 'expired') {
    throw new ManagementError('QL3_MANAGEMENT_APPROVAL_EXPIRED', `request ${request.requestId} expired at ${request.expiresAtMs}, it is ${nowMs}: make a new plan`);
  }
  if (status !== 'pending' || request.version !== decision.expectedVersion) {
    throw conflict(request, `is ${status} at version ${request.version}, expected pending at version ${decision.expectedVersion}`);
  }
}

function conflict(request: ApprovalRequest, detail: string): ManagementError {
  return new ManagementError('QL3_MANAGEMENT_APPROVAL_CONFLICT', `request ${request.requestId} ${detail}`);
}

async function audit(sql: Transaction, request: ApprovalRequest, decision: DecisionRequest, by: Authorized): Promise<void> {
  await appendCredentialAudit(sql, {
    eventId: by.auditEventId,
    occurredAtMs: by.atMs,
    action: 'approval.decide',
    outcome: decision.decision === 'approved' ? 'allowed' : 'denied',
    actor: by,
    projectId: request.authorityProjectId,
    resource: { type: 'approval_request', id: request.requestId },
    reasonCode: decision.reasonCode,
    details: { actionRef: request.actionRef, actionDigest: request.actionDigest, decisionId: decision.decisionId },
  });
}
