import type { ObservedRun } from '../facts/observed-run.ts';
import type { GateName } from '../gate-names.ts';
import type { Verdict } from '../verdict.ts';
import { approvalConsumedBeforeTokenRequest } from './approval-consumed-before-token-request.ts';
import { executorJobExactNetworkEgress } from './executor-job-exact-network-egress.ts';
import { executorJobExactReplayWithoutTokenRequest } from './executor-job-exact-replay-without-token-request.ts';
import { executorJobUsesProjectedShortLivedIssuerToken } from './executor-job-uses-projected-short-lived-issuer-token.ts';
import { explicitIdentityGenerationRolloutObserved } from './explicit-identity-generation-rollout-observed.ts';
import { leastPrivilegeTokenIssuerRbac } from './least-privilege-token-issuer-rbac.ts';
import { managerExecutorDatabaseRolesSeparated } from './manager-executor-database-roles-separated.ts';
import { productionGracefulDrainToOffline } from './production-graceful-drain-to-offline.ts';
import { productionSessionReplacement } from './production-session-replacement.ts';
import { productionStartupReconciliation } from './production-startup-reconciliation.ts';
import { productionWorkerImageInKubernetes } from './production-worker-image-in-kubernetes.ts';
import { productionWorkerIngressComposition } from './production-worker-ingress-composition.ts';
import { pvcJournalSurvivedRolloutAndForcedPodLoss } from './pvc-journal-survived-rollout-and-forced-pod-loss.ts';
import { realCallerDrivenExecutorJob } from './real-caller-driven-executor-job.ts';
import { realKubernetesApi } from './real-kubernetes-api.ts';
import { recreateOrderingObserved } from './recreate-ordering-observed.ts';
import { restrictedCredentialDeliveryRbac } from './restricted-credential-delivery-rbac.ts';
import { secretAndDeploymentResourceVersionCas } from './secret-and-deployment-resource-version-cas.ts';
import { strongUserPlanApprovalAndDispatchPersisted } from './strong-user-plan-approval-and-dispatch-persisted.ts';
import { tokenRequestSessionDisposed } from './token-request-session-disposed.ts';

/** Every gate but `passed`, which follows from them. */
export const GATES: Readonly<Record<Exclude<GateName, 'passed'>, (run: ObservedRun) => Verdict>> = {
  realKubernetesApi,
  secretAndDeploymentResourceVersionCas,
  recreateOrderingObserved,
  pvcJournalSurvivedRolloutAndForcedPodLoss,
  explicitIdentityGenerationRolloutObserved,
  strongUserPlanApprovalAndDispatchPersisted,
  managerExecutorDatabaseRolesSeparated,
  approvalConsumedBeforeTokenRequest,
  leastPrivilegeTokenIssuerRbac,
  tokenRequestSessionDisposed,
  restrictedCredentialDeliveryRbac,
  realCallerDrivenExecutorJob,
  executorJobExactReplayWithoutTokenRequest,
  executorJobUsesProjectedShortLivedIssuerToken,
  executorJobExactNetworkEgress,
  productionWorkerImageInKubernetes,
  productionWorkerIngressComposition,
  productionSessionReplacement,
  productionStartupReconciliation,
  productionGracefulDrainToOffline,
};
