/** What may be asked of a project's policy. */
export type ProjectPermission = 'worker.manage' | 'approval.decide';

/** The roles that a binding can give to a subject. */
export type ProjectRole = 'owner' | 'operator' | 'approver' | 'viewer';

const PERMISSIONS: Readonly<Record<ProjectRole, readonly ProjectPermission[]>> = {
  owner: ['worker.manage', 'approval.decide'],
  operator: ['worker.manage'],
  approver: ['approval.decide'],
  viewer: [],
};

export function rolePermits(role: ProjectRole, permission: ProjectPermission): boolean {
  return PERMISSIONS[role].includes(permission);
}

/** The versions under which a decision was made; a later change of either invalidates it. */
export interface PolicyFence {
  readonly projectVersion: number;
  readonly bindingVersion: number;
}
