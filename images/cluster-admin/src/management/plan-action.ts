import {
  createManagementPlan,
  MAXIMUM_PLAN_LIFE_MS,
  type ManagementAction,
  type ManagementPlan,
  type ManagementTarget,
} from '../../../core/management-plan.ts';
import type { Database } from '../../../postgres/connection.ts';
import { findManagementPlan, insertManagementPlan } from '../../../postgres/repositories/management-plan.ts';
import { inTransaction, type Transaction } from '../../../postgres/transaction.ts';
import { requirePermission } from './authorization.ts';
import { readDatabaseNow } from './database-now.ts';
import { ManagementError } from './management-error.ts';
import { assertStrongPrincipal, type Principal } from './principal.ts';

export interface PlanRequest {
  readonly actionRef: string;
  readonly authorityProjectId: string;
  readonly action: ManagementAction;
  readonly target: ManagementTarget;
  /** 15 minutes if not given, which is also the most. */
  readonly lifeMs?: number;
}

/**
 * Plans to issue or rotate one credential. Repeating the same request returns
 * the plan that was made first; another request under the same action ref is refused.
 */
export async function planCredentialAction(database: Database, principal: Principal, request: PlanRequest, signal?: AbortSignal): Promise<ManagementPlan> {
  return inTransaction(database, (sql) => plan(sql, principal, request), signal === undefined ? {} : { signal });
}

async function plan(sql: Transaction, principal: Principal, request: PlanRequest): Promise<ManagementPlan> {
  const nowMs = await readDatabaseNow(sql);
  assertStrongPrincipal(principal, nowMs);
  const drafted = draft(principal, request, nowMs);
  await requirePermission(sql, drafted.authorityProjectId, principal.subject, 'worker.manage');
  const existing = await findManagementPlan(sql, drafted.actionRef);
  if (existing !== null) return requireSame(existing, drafted);
  if (await insertManagementPlan(sql, drafted)) return drafted;
  throw new ManagementError('QL3_MANAGEMENT_PLAN_CONFLICT', `action ${drafted.actionRef} has just been planned by somebody else: read it again`);
}

function draft(principal: Principal, request: PlanRequest, plannedAtMs: number): ManagementPlan {
  const { actionRef, authorityProjectId, action, target, lifeMs = MAXIMUM_PLAN_LIFE_MS } = request;
  return createManagementPlan({
    actionRef,
    authorityProjectId,
    action,
    target,
    requestedBy: principal.subject,
    plannedAtMs,
    expiresAtMs: plannedAtMs + lifeMs,
  });
}

function requireSame(existing: ManagementPlan, drafted: ManagementPlan): ManagementPlan {
  if (existing.previewDigest === drafted.previewDigest && existing.requestedBy.id === drafted.requestedBy.id) return existing;
  throw new ManagementError(
    'QL3_MANAGEMENT_PLAN_CONFLICT',
    `action ${drafted.actionRef} is planned already, with preview ${existing.previewDigest} by ${existing.requestedBy.id}: choose another action ref`,
  );
}
