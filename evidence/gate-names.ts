/** The gates of contract v2, in the order of the report. */
export const GATE_NAMES = [
  'realKubernetesApi',
  'secretAndDeploymentResourceVersionCas',
  'recreateOrderingObserved',
  'pvcJournalSurvivedRolloutAndForcedPodLoss',
  'explicitIdentityGenerationRolloutObserved',
  'strongUserPlanApprovalAndDispatchPersisted',
  'managerExecutorDatabaseRolesSeparated',
  'approvalConsumedBeforeTokenRequest',
  'leastPrivilegeTokenIssuerRbac',
  'tokenRequestSessionDisposed',
  'restrictedCredentialDeliveryRbac',
  'realCallerDrivenExecutorJob',
  'executorJobExactReplayWithoutTokenRequest',
  'executorJobUsesProjectedShortLivedIssuerToken',
  'executorJobExactNetworkEgress',
  'productionWorkerImageInKubernetes',
  'productionWorkerIngressComposition',
  'productionSessionReplacement',
  'productionStartupReconciliation',
  'productionGracefulDrainToOffline',
  'passed',
] as const;
export type GateName = (typeof GATE_NAMES)[number];

/** Gates that the embedded cluster cannot prove: it is no Kubernetes and enforces no network policy. */
export const UNPROVEN_ON_EMBEDDED: readonly GateName[] = ['realKubernetesApi', 'executorJobExactNetworkEgress', 'passed'];
