/** What the harness, or any other host, may use of cluster administration. */
export { connectDatabase, openDatabase, toClientConfig, type Database, type DatabaseClient, type DatabaseConfig, type DatabaseTls } from '../../postgres/connection.ts';
export { DatabaseError, isConstraintViolation, sqlState } from '../../postgres/database-error.ts';
export { migrate, type MigrationOutcome } from '../../postgres/migrate.ts';
export { checkReadiness, requireReadiness, type Readiness } from '../../postgres/readiness.ts';
export { grantPrivileges, openDatabaseToRoles, prepareRoles, ROLES, type RoleName, type RolePasswords } from '../../postgres/roles.ts';

export { deploymentTargetDigest, type DeliveryIntent, type DeploymentTarget } from '../../core/delivery.ts';
export type { DeliveryRecord, DeliveryState } from '../../core/delivery-record.ts';
export type { ApprovalRequest } from '../../core/approval.ts';
export type { ExecutionCommand } from '../../core/execution.ts';
export type { ManagementAction, ManagementPlan, ManagementTarget } from '../../core/management-plan.ts';
export { parsePepper } from '../../core/credential-token.ts';

export { planCredentialAction, type PlanRequest } from './management/plan-action.ts';
export { proposeCredentialAction, type ProposalRequest } from './management/propose-action.ts';
export { decideCredentialAction, type DecisionRequest } from './management/decide-action.ts';
export { ManagementError, type ManagementErrorCode } from './management/management-error.ts';
export type { Principal } from './management/principal.ts';

export { executeCredentialAction, type AuthorityOptions, type ExecuteOptions, type ExecutionTargets } from './execution/execute-credential-action.ts';
export type { AuthorizationQuestion, ExecutionEvent, ExecutionOutcome } from './execution/execute-action.ts';
export { ExecutionError, type ExecutionErrorReason } from './execution/execution-error.ts';
export { IssueError, type IssueErrorCode } from './issuing/issue-error.ts';
export type { IssueStatus } from './issuing/issue-request.ts';

export { recoverDeliveries, type RecoverDeliveriesOptions, type RecoveredDelivery, type RecoveryPage } from './recovery/recover-deliveries.ts';
export type { RecoveredDeliveryStatus } from './recovery/delivery-recovery.ts';
export { recoverExecution, type RecoveredExecution, type RecoverExecutionOptions } from './recovery/recover-execution.ts';

export type { DiscardRequest, StagePage, StagePageRequest, WorkerCredentialDelivery } from './delivery/delivery.ts';
export { WorkerCredentialKubernetesDeliveryAdapter } from './delivery/delivery-adapter.ts';
export { WorkerCredentialDeliveryError, type WorkerCredentialDeliveryErrorCode } from './delivery/delivery-error.ts';
export { DeliveryTargetError, resolveDeliveryTarget, type DeliveryTarget, type DeliveryTargetOptions } from './delivery/delivery-target.ts';
export type { DeliveryClients } from './delivery/publication.ts';

export { openApiConnection, type ApiConnection, type ApiConnectionOptions, type ApiRequest } from './kubernetes/api-connection.ts';
export { KubernetesApiError, type KubernetesApiErrorCode } from './kubernetes/api-error.ts';
export { ClusterAccessError, type ClusterAccess } from './kubernetes/cluster-access.ts';
export { createDeploymentsClient, type DeploymentsClient } from './kubernetes/deployments-client.ts';
export { readInClusterAccess } from './kubernetes/in-cluster-access.ts';
export { toClusterAccess } from './kubernetes/kubeconfig-access.ts';
export { createSecretsClient, type SecretsClient } from './kubernetes/secrets-client.ts';

export { TokenRequestUnavailableError, type TokenRequestUnavailableReason } from './token-request/token-request-error.ts';
export {
  createTokenRequestSession,
  type DeliveryLoan,
  type TokenRequestEvent,
  type TokenRequestEvidence,
  type TokenRequestSession,
  type TokenRequestSessionOptions,
} from './token-request/token-request-session.ts';
