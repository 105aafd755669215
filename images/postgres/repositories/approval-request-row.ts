import type { ApprovalConsumption, ApprovalDecision, ApprovalRequest, ApprovalState, Authorized } from '../../core/approval.ts';
import { EXECUTOR_SUBJECT, type Assurance } from '../../core/subject.ts';

/** The columns of ql3.approval_requests; its CHECK constraints carry which of them belong together. */
export type ApprovalRequestRow = {
  readonly [Column in
    | 'request_id' | 'authority_project_id' | 'action_ref' | 'action_digest' | 'preview_digest'
    | 'requested_by_id' | 'requested_authentication_id' | 'requested_audit_event_id']: string;
} & {
  readonly version: 1 | 2 | 3;
  readonly state: ApprovalState;
  readonly permission: 'worker.manage';
  readonly action_type: ApprovalRequest['actionType'];
  readonly requested_assurance: Assurance;
  readonly requested_project_version: number;
  readonly requested_binding_version: number;
  readonly requested_at_ms: number;
  readonly expires_at_ms: number;
} & DecisionColumns & ConsumptionColumns;

interface DecisionColumns {
  readonly decision_id: string | null;
  readonly decision: ApprovalDecision;
  readonly decision_reason_code: string;
  readonly decided_by_id: string;
  readonly decided_authentication_id: string;
  readonly decided_assurance: Assurance;
  readonly decided_project_version: number;
  readonly decided_binding_version: number;
  readonly decided_audit_event_id: string;
  readonly decided_at_ms: number;
}

interface ConsumptionColumns {
  readonly consumption_id: string | null;
  readonly dispatch_id: string;
  readonly consumed_by_id: string;
  readonly consumed_authentication_id: string;
  readonly consumed_project_version: number;
  readonly consumed_binding_version: number;
  readonly consumed_audit_event_id: string;
  readonly consumed_at_ms: number;
}

export function toApprovalRequest(row: ApprovalRequestRow): ApprovalRequest {
  return {
    requestId: row.request_id,
    version: row.version,
    state: row.state,
    authorityProjectId: row.authority_project_id,
    permission: row.permission,
    actionType: row.action_type,
    actionRef: row.action_ref,
    actionDigest: row.action_digest,
    previewDigest: row.preview_digest,
    risk: 'high',
    separationOfDuty: true,
    requested: toRequested(row),
    expiresAtMs: row.expires_at_ms,
    decision: row.decision_id === null ? null : toDecision(row, row.decision_id),
    consumption: row.consumption_id === null ? null : toConsumption(row, row.consumption_id),
  };
}

function toRequested(row: ApprovalRequestRow): Authorized {
  return {
    subject: { type: 'user', id: row.requested_by_id },
    authenticationId: row.requested_authentication_id,
    assurance: row.requested_assurance,
    projectVersion: row.requested_project_version,
    bindingVersion: row.requested_binding_version,
    auditEventId: row.requested_audit_event_id,
    atMs: row.requested_at_ms,
  };
}

function toDecision(row: DecisionColumns, decisionId: string): NonNullable<ApprovalRequest['decision']> {
  return {
    decisionId,
    decision: row.decision,
    reasonCode: row.decision_reason_code,
    subject: { type: 'user', id: row.decided_by_id },
    authenticationId: row.decided_authentication_id,
    assurance: row.decided_assurance,
    projectVersion: row.decided_project_version,
    bindingVersion: row.decided_binding_version,
    auditEventId: row.decided_audit_event_id,
    atMs: row.decided_at_ms,
  };
}

function toConsumption(row: ConsumptionColumns, consumptionId: string): ApprovalConsumption {
  return {
    consumptionId,
    dispatchId: row.dispatch_id,
    consumedBy: { type: EXECUTOR_SUBJECT.type, id: row.consumed_by_id },
    authenticationId: row.consumed_authentication_id,
    projectVersion: row.consumed_project_version,
    bindingVersion: row.consumed_binding_version,
    auditEventId: row.consumed_audit_event_id,
    consumedAtMs: row.consumed_at_ms,
  };
}
