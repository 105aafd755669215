import type { Transaction } from '../transaction.ts';
import { rolePermits, type PolicyFence, type ProjectPermission, type ProjectRole } from '../../core/project-policy.ts';
import type { Subject } from '../../core/subject.ts';

/**
 * The versions under which the project's policy permits this, or null when it
 * does not: unknown or archived project, no binding, a revoked one, or a role
 * that is not enough. The latest binding counts, whatever came before.
 */
export async function evaluateProjectPolicy(
  sql: Transaction,
  projectId: string,
  subject: Subject,
  permission: ProjectPermission,
): Promise<PolicyFence | null> {
  const { rows } = await sql.query<{ project_version: number; binding_version: number; role: ProjectRole; active: boolean }>(
    `SELECT project.version AS project_version, binding.version AS binding_version, binding.role,
       project.state = 'active' AND binding.state = 'active' AS active
     FROM ql3.projects AS project
     JOIN ql3.project_role_bindings AS binding USING (project_id)
     WHERE project_id = $1 AND subject_type = $2 AND subject_id = $3
     ORDER BY binding.version DESC LIMIT 1`,
    [projectId, subject.type, subject.id],
  );
  const row = rows[0];
  if (row === undefined || !row.active || !rolePermits(row.role, permission)) return null;
  return { projectVersion: row.project_version, bindingVersion: row.binding_version };
}

export function fencesEqual(left: PolicyFence, right: PolicyFence): boolean {
  return left.projectVersion === right.projectVersion && left.bindingVersion === right.bindingVersion;
}
