export const ROLES = [
  'ql3_migration',
  'ql3_runtime',
  'ql3_admin',
  'ql3_worker_ingress',
  'ql3_worker_credential_manager',
  'ql3_worker_credential_executor',
] as const;

export type RoleName = (typeof ROLES)[number];
export type GranteeName = Exclude<RoleName, typeof OWNER>;
export type TablePrivilege = 'SELECT' | 'INSERT' | 'UPDATE';

/** Owns the schema: the only role with DDL or DELETE. */
export const OWNER = 'ql3_migration';

export const GRANTEES: readonly GranteeName[] = ROLES.filter((role) => role !== OWNER);

/** S, I and U of runtime, admin, worker ingress, credential manager and credential executor, in this order. */
const TABLE = {
  schema_migrations: ['S', 'S', 'S', 'S', 'S'],
  schema_capabilities: ['S', 'S', 'S', 'S', 'S'],
  projects: ['S', 'S', '', 'S', 'S'],
  project_role_bindings: ['S', 'S', '', 'S', 'S'],
  security_audit_events: ['I', 'SI', 'I', 'SI', 'SI'],
  worker_sessions: ['S', 'S', 'SIU', 'S', ''],
  worker_session_history: ['S', 'S', 'SI', 'S', ''],
  worker_credentials: ['', 'SIU', 'S', '', 'SIU'],
  worker_credential_mutations: ['', 'SI', '', '', 'SI'],
  worker_credential_stage_discards: ['', 'SI', '', '', 'SI'],
  worker_credential_deliveries: ['', 'SI', 'SI', '', 'SI'],
  worker_credential_management_plans: ['', '', '', 'SI', 'S'],
  approval_requests: ['', 'SIU', '', 'SIU', 'SU'],
  approved_action_dispatches: ['', 'SI', '', '', 'SI'],
  approved_action_executions: ['', 'SIU', '', '', 'SIU'],
} as const satisfies Record<string, readonly [string, string, string, string, string]>;

export type TableName = keyof typeof TABLE;

export const TABLES: readonly TableName[] = Object.keys(TABLE) as TableName[];

const LETTERS: Readonly<Record<string, TablePrivilege>> = { S: 'SELECT', I: 'INSERT', U: 'UPDATE' };

/** Exactly what a role may do with a table, besides nothing. */
export function grantedPrivileges(role: GranteeName, table: TableName): readonly TablePrivilege[] {
  const letters = TABLE[table][GRANTEES.indexOf(role)] ?? '';
  return [...letters].map((letter) => LETTERS[letter]!);
}
