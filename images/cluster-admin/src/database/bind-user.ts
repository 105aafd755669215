import { isProjectId, isSubjectId } from '../../../core/identifiers.ts';
import type { ProjectRole } from '../../../core/project-policy.ts';
import { DATABASE_NOW_MS } from '../../../postgres/clock.ts';
import type { DatabaseClient } from '../../../postgres/connection.ts';
import { UsageError } from '../command-line/usage-error.ts';

const ASSIGNABLE: readonly ProjectRole[] = ['owner', 'operator', 'approver', 'viewer'];

export interface UserBinding {
  readonly projectId: string;
  readonly userId: string;
  /** Null takes the user's role away. */
  readonly role: ProjectRole | null;
}

export function parseBinding(act: 'bind' | 'unbind', values: Readonly<Record<string, string | undefined>>): UserBinding {
  const { project = '', user = '', role } = values;
  const issues: string[] = [];
  if (!isProjectId(project)) issues.push('--project: expected the id of a project');
  if (!isSubjectId(user)) issues.push('--user: expected the id of a user');
  const chosen = ASSIGNABLE.find((name) => name === role) ?? null;
  if (act === 'bind' && chosen === null) issues.push(`--role: expected one of ${ASSIGNABLE.join(', ')}`);
  if (act === 'unbind' && role !== undefined) issues.push('--role: unbind takes away whatever role there is, it names none');
  if (issues.length > 0) throw new UsageError(issues);
  return { projectId: project, userId: user, role: act === 'bind' ? chosen : null };
}

/**
 * Appends the next version of a user's binding: bindings are never changed, the latest one counts. The same binding again
 * changes nothing, so that approvals under way, which are fenced by its version, stay good.
 */
export async function bindUser(owner: DatabaseClient, { projectId, userId, role }: UserBinding): Promise<{ projectId: string; userId: string; bindingVersion: number; role: string; state: string; changed: boolean }> {
  if (role !== null) await createProject(owner, projectId);
  const latest = await readLatest(owner, projectId, userId);
  const next = { role: role ?? latest?.role ?? null, state: role === null ? 'revoked' : 'active' };
  if (next.role === null) throw new UsageError([`user ${userId} has no role in project ${projectId}: there is nothing to take away`]);
  const told = { projectId, userId, role: next.role, state: next.state };
  if (latest?.role === next.role && latest.state === next.state) return { ...told, bindingVersion: latest.version, changed: false };
  const bindingVersion = (latest?.version ?? 0) + 1;
  await owner.query(
    `INSERT INTO ql3.project_role_bindings (project_id, subject_type, subject_id, version, role, state, bound_at_ms)
     VALUES ($1, 'user', $2, $3, $4, $5, greatest($6, ${DATABASE_NOW_MS}))`,
    [projectId, userId, bindingVersion, next.role, next.state, latest?.bound_at_ms ?? 0],
  );
  return { ...told, bindingVersion, changed: true };
}

async function createProject(owner: DatabaseClient, projectId: string): Promise<void> {
  await owner.query(
    `INSERT INTO ql3.projects (project_id, version, state, created_at_ms, updated_at_ms)
     SELECT $1, 1, 'active', now_ms, now_ms FROM (SELECT ${DATABASE_NOW_MS} AS now_ms) clock ON CONFLICT (project_id) DO NOTHING`,
    [projectId],
  );
}

interface BindingRow {
  readonly version: number;
  readonly role: string;
  readonly state: string;
  readonly bound_at_ms: number;
}

async function readLatest(owner: DatabaseClient, projectId: string, userId: string): Promise<BindingRow | undefined> {
  const { rows } = await owner.query<BindingRow>(
    `SELECT version, role, state, bound_at_ms FROM ql3.project_role_bindings
     WHERE project_id = $1 AND subject_type = 'user' AND subject_id = $2 ORDER BY version DESC LIMIT 1`,
    [projectId, userId],
  );
  return rows[0];
}
