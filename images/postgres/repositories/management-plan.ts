import type { Transaction } from '../transaction.ts';
import { MANAGEMENT_PLAN_SCHEMA, readManagementPlan, type ManagementPlan } from '../../core/management-plan.ts';

/** The plan of this action, with shape and digests checked again: a row that was tampered with is refused. */
export async function findManagementPlan(sql: Transaction, actionRef: string): Promise<ManagementPlan | null> {
  const { rows } = await sql.query(`SELECT * FROM ql3.worker_credential_management_plans WHERE action_ref = $1`, [actionRef]);
  return rows[0] === undefined ? null : toPlan(rows[0]);
}

export async function findPlanOfDelivery(sql: Transaction, deliveryId: string): Promise<ManagementPlan | null> {
  const { rows } = await sql.query(`SELECT * FROM ql3.worker_credential_management_plans WHERE delivery_id = $1`, [deliveryId]);
  return rows[0] === undefined ? null : toPlan(rows[0]);
}

/** False when a plan of this action ref exists; the caller decides whether it is the same one. */
export async function insertManagementPlan(sql: Transaction, plan: ManagementPlan): Promise<boolean> {
  const { target } = plan;
  const { rowCount } = await sql.query(
    `INSERT INTO ql3.worker_credential_management_plans (action_ref, authority_project_id, action, delivery_id, worker_id, credential_id,
       previous_credential_id, credential_not_before_at_ms, credential_expires_at_ms, deployment_target_digest, deployment_generation,
       requested_by_id, planned_at_ms, expires_at_ms, plan_digest, preview_digest)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
     ON CONFLICT (action_ref) DO NOTHING`,
    [
      plan.actionRef, plan.authorityProjectId, plan.action, target.deliveryId, target.workerId, target.credentialId,
      target.previousCredentialId, target.credentialNotBeforeAtMs, target.credentialExpiresAtMs, target.deploymentTargetDigest,
      target.deploymentGeneration, plan.requestedBy.id, plan.plannedAtMs, plan.expiresAtMs, plan.planDigest, plan.previewDigest,
    ],
  );
  return rowCount === 1;
}

function toPlan(row: Record<string, unknown>): ManagementPlan {
  return readManagementPlan({
    schema: MANAGEMENT_PLAN_SCHEMA,
    actionRef: row['action_ref'],
    authorityProjectId: row['authority_project_id'],
    action: row['action'],
    target: {
      deliveryId: row['delivery_id'],
      workerId: row['worker_id'],
      credentialId: row['credential_id'],
      previousCredentialId: row['previous_credential_id'],
      credentialNotBeforeAtMs: row['credential_not_before_at_ms'],
      credentialExpiresAtMs: row['credential_expires_at_ms'],
      deploymentTargetDigest: row['deployment_target_digest'],
      deploymentGeneration: row['deployment_generation'],
    },
    requestedBy: { type: 'user', id: row['requested_by_id'] },
    plannedAtMs: row['planned_at_ms'],
    expiresAtMs: row['expires_at_ms'],
    planDigest: row['plan_digest'],
    previewDigest: row['preview_digest'],
  });
}
