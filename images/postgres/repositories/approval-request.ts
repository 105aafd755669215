import type { Transaction } from '../transaction.ts';
import type { ApprovalConsumption, ApprovalDecision, ApprovalRequest, Authorized } from '../../core/approval.ts';
import { toApprovalRequest, type ApprovalRequestRow } from './approval-request-row.ts';

export async function findApprovalRequest(sql: Transaction, requestId: string): Promise<ApprovalRequest | null> {
  const { rows } = await sql.query<ApprovalRequestRow>(`SELECT * FROM ql3.approval_requests WHERE request_id = $1`, [requestId]);
  return rows[0] === undefined ? null : toApprovalRequest(rows[0]);
}

/** False when a request of this id, or another one for the same action, exists. */
export async function insertApprovalRequest(
  sql: Transaction,
  request: ApprovalRequest & { readonly version: 1 },
  planExpiresAtMs: number,
): Promise<boolean> {
  const { requested } = request;
  const { rowCount } = await sql.query(
    `INSERT INTO ql3.approval_requests (request_id, version, state, authority_project_id, permission, action_type, action_ref,
       action_digest, preview_digest, plan_expires_at_ms, risk, separation_of_duty, requested_by_id, requested_authentication_id,
       requested_assurance, requested_project_version, requested_binding_version, requested_audit_event_id, requested_at_ms, expires_at_ms)
     VALUES ($1, 1, 'pending', $2, $3, $4, $5, $6, $7, $8, 'high', true, $9, $10, $11, $12, $13, $14, $15, $16)
     ON CONFLICT DO NOTHING`,
    [
      request.requestId, request.authorityProjectId, request.permission, request.actionType, request.actionRef, request.actionDigest,
      request.previewDigest, planExpiresAtMs, requested.subject.id, requested.authenticationId, requested.assurance,
      requested.projectVersion, requested.bindingVersion, requested.auditEventId, requested.atMs, request.expiresAtMs,
    ],
  );
  return rowCount === 1;
}

export interface NewDecision {
  readonly requestId: string;
  readonly decisionId: string;
  readonly decision: ApprovalDecision;
  readonly reasonCode: string;
  readonly by: Authorized;
}

/** Version 1 becomes 2; false when somebody else was first. */
export async function decideApprovalRequest(sql: Transaction, { requestId, decisionId, decision, reasonCode, by }: NewDecision): Promise<boolean> {
  const { rowCount } = await sql.query(
    `UPDATE ql3.approval_requests SET version = 2, state = $2, decision_id = $3, decision = $2, decision_reason_code = $4,
       decided_by_id = $5, decided_authentication_id = $6, decided_assurance = $7, decided_project_version = $8,
       decided_binding_version = $9, decided_audit_event_id = $10, decided_at_ms = $11
     WHERE request_id = $1 AND version = 1`,
    [
      requestId, decision, decisionId, reasonCode, by.subject.id, by.authenticationId, by.assurance, by.projectVersion,
      by.bindingVersion, by.auditEventId, by.atMs,
    ],
  );
  return rowCount === 1;
}

/** Version 2 becomes 3; false when somebody else was first. */
export async function consumeApprovalRequest(sql: Transaction, requestId: string, consumption: ApprovalConsumption): Promise<boolean> {
  const { rowCount } = await sql.query(
    `UPDATE ql3.approval_requests SET version = 3, state = 'consumed', consumption_id = $2, dispatch_id = $3, consumed_by_id = $4,
       consumed_authentication_id = $5, consumed_project_version = $6, consumed_binding_version = $7, consumed_audit_event_id = $8,
       consumed_at_ms = $9
     WHERE request_id = $1 AND version = 2 AND state = 'approved'`,
    [
      requestId, consumption.consumptionId, consumption.dispatchId, consumption.consumedBy.id, consumption.authenticationId,
      consumption.projectVersion, consumption.bindingVersion, consumption.auditEventId, consumption.consumedAtMs,
    ],
  );
  return rowCount === 1;
}
