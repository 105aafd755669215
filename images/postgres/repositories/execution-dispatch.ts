import type { Transaction } from '../transaction.ts';
import type { ApprovalRequest } from '../../core/approval.ts';

export interface Dispatch {
  readonly dispatchId: string;
  readonly approvalRequestId: string;
  readonly consumptionId: string;
  readonly actionRef: string;
  readonly actionDigest: string;
  readonly previewDigest: string;
}

export async function findDispatch(sql: Transaction, dispatchId: string): Promise<Dispatch | null> {
  return findBy(sql, 'dispatch_id', dispatchId);
}

/** An action is approved, and so dispatched, once at most. */
export async function findDispatchOfAction(sql: Transaction, actionRef: string): Promise<Dispatch | null> {
  return findBy(sql, 'action_ref', actionRef);
}

/** The order to execute what was approved, with its pending execution; both stand or fall with the consumption. */
export async function insertDispatch(
  sql: Transaction,
  request: ApprovalRequest,
  order: { readonly dispatchId: string; readonly consumptionId: string; readonly dispatchedById: string; readonly atMs: number },
): Promise<void> {
  await sql.query(
    `INSERT INTO ql3.approved_action_dispatches (dispatch_id, approval_request_id, consumption_id, action_type, action_ref, action_digest,
       preview_digest, dispatched_by_id, dispatched_at_ms)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      order.dispatchId, request.requestId, order.consumptionId, request.actionType, request.actionRef, request.actionDigest,
      request.previewDigest, order.dispatchedById, order.atMs,
    ],
  );
  await sql.query(
    `INSERT INTO ql3.approved_action_executions (dispatch_id, action_ref, version, state, attempt, created_at_ms)
     VALUES ($1, $2, 1, 'pending', 0, $3)`,
    [order.dispatchId, request.actionRef, order.atMs],
  );
}

async function findBy(sql: Transaction, column: 'dispatch_id' | 'action_ref', value: string): Promise<Dispatch | null> {
  const { rows } = await sql.query<{ [Column in 'dispatch_id' | 'approval_request_id' | 'consumption_id' | 'action_ref' | 'action_digest' | 'preview_digest']: string }>(
    `SELECT dispatch_id, approval_request_id, consumption_id, action_ref, action_digest, preview_digest
     FROM ql3.approved_action_dispatches WHERE ${column} = $1`,
    [value],
  );
  const row = rows[0];
  if (row === undefined) return null;
  return {
    dispatchId: row.dispatch_id,
    approvalRequestId: row.approval_request_id,
    consumptionId: row.consumption_id,
    actionRef: row.action_ref,
    actionDigest: row.action_digest,
    previewDigest: row.preview_digest,
  };
}
