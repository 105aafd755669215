import type { Authorized } from '../../../core/approval.ts';
import type { PolicyFence, ProjectPermission } from '../../../core/project-policy.ts';
import type { Subject } from '../../../core/subject.ts';
import { evaluateProjectPolicy, fencesEqual } from '../../../postgres/repositories/project-policy.ts';
import type { Transaction } from '../../../postgres/transaction.ts';
import { ManagementError } from './management-error.ts';

export async function requirePermission(
  sql: Transaction,
  projectId: string,
  subject: Subject,
  permission: ProjectPermission,
): Promise<PolicyFence> {
  const fence = await evaluateProjectPolicy(sql, projectId, subject, permission);
  if (fence !== null) return fence;
  throw new ManagementError(
    'QL3_MANAGEMENT_POLICY_DENIED',
    `${subject.type} ${subject.id} may not ${permission} in project ${projectId}: bind a role that permits it`,
  );
}

/** What was authorised counts only while the project and the binding are those under which it was authorised. */
export async function requireSameAuthorization(
  sql: Transaction,
  projectId: string,
  earlier: Authorized,
  permission: ProjectPermission,
): Promise<PolicyFence> {
  const fence = await requirePermission(sql, projectId, earlier.subject, permission);
  if (fencesEqual(fence, earlier)) return fence;
  throw new ManagementError(
    'QL3_MANAGEMENT_POLICY_CHANGED',
    `the policy of project ${projectId} for user ${earlier.subject.id} has changed from project version ${earlier.projectVersion}, ` +
      `binding ${earlier.bindingVersion} to ${fence.projectVersion}, ${fence.bindingVersion}: make a new plan`,
  );
}
