import type { GateName } from '../../evidence/gate-names.ts';
import type { StepId } from '../../evidence/observation.ts';
import { DEADLINES } from './deadlines.ts';

export type StepPhase = 'platform' | 'actor' | 'product' | 'end';

/** What a step is, for whoever runs it and for whoever wants to know beforehand. */
export interface StepDefinition {
  readonly phase: StepPhase;
  readonly sentence: string;
  /** Of the whole step; its single waits end earlier. Null where the time depends on what has to be fetched, and each part has a deadline of its own. */
  readonly deadlineMs: number | null;
  /** What is witnessed while the step goes on counts for these. */
  readonly gates: readonly GateName[];
}

const { answersMs, platformMs, rolloutMs, podStartedMs, podGoneMs, jobMs, heartbeatMs } = DEADLINES;
const ACTOR_ROLLOUT_MS = answersMs + rolloutMs + podStartedMs;
const PRODUCT_ROLLOUT_MS = ACTOR_ROLLOUT_MS + heartbeatMs;

/** The steps of contract v2 in the order in which they begin. The side probes run beside what follows the actor's third generation, whenever that waits. */
export const STEPS: Readonly<Record<StepId, StepDefinition>> = {
  boot: { phase: 'platform', sentence: 'cluster, database and images come up side by side', deadlineMs: null, gates: [] },
  images: {
    phase: 'platform',
    sentence: 'what the run stands on',
    deadlineMs: platformMs + answersMs,
    gates: ['realKubernetesApi', 'managerExecutorDatabaseRolesSeparated', 'realCallerDrivenExecutorJob', 'executorJobExactNetworkEgress', 'productionWorkerImageInKubernetes'],
  },
  objects: {
    phase: 'actor',
    sentence: 'objects, roles and the actor, which cannot start yet',
    deadlineMs: platformMs + answersMs,
    gates: ['secretAndDeploymentResourceVersionCas', 'pvcJournalSurvivedRolloutAndForcedPodLoss', 'explicitIdentityGenerationRolloutObserved'],
  },
  'generation-1': {
    phase: 'actor',
    sentence: 'generation 1 is issued on the host, and replayed',
    deadlineMs: ACTOR_ROLLOUT_MS,
    gates: ['secretAndDeploymentResourceVersionCas', 'recreateOrderingObserved', 'pvcJournalSurvivedRolloutAndForcedPodLoss', 'tokenRequestSessionDisposed'],
  },
  'generation-2': {
    phase: 'actor',
    sentence: 'generation 2 is rotated on the host, and replayed',
    deadlineMs: ACTOR_ROLLOUT_MS,
    gates: ['secretAndDeploymentResourceVersionCas', 'recreateOrderingObserved', 'pvcJournalSurvivedRolloutAndForcedPodLoss', 'tokenRequestSessionDisposed'],
  },
  'forced-pod-loss': {
    phase: 'actor',
    sentence: 'a running Pod is lost by force',
    deadlineMs: ACTOR_ROLLOUT_MS,
    gates: ['secretAndDeploymentResourceVersionCas', 'recreateOrderingObserved', 'pvcJournalSurvivedRolloutAndForcedPodLoss'],
  },
  'generation-3': {
    phase: 'actor',
    sentence: 'generation 3 is rotated by the executor Job, and replayed by a second one',
    deadlineMs: ACTOR_ROLLOUT_MS + 2 * 3 * jobMs,
    gates: [
      'secretAndDeploymentResourceVersionCas',
      'recreateOrderingObserved',
      'pvcJournalSurvivedRolloutAndForcedPodLoss',
      'realCallerDrivenExecutorJob',
      'executorJobExactReplayWithoutTokenRequest',
      'executorJobUsesProjectedShortLivedIssuerToken',
    ],
  },
  'identity-b': {
    phase: 'actor',
    sentence: 'the TLS identity moves to another authority',
    deadlineMs: ACTOR_ROLLOUT_MS,
    gates: ['recreateOrderingObserved', 'pvcJournalSurvivedRolloutAndForcedPodLoss', 'explicitIdentityGenerationRolloutObserved'],
  },
  ingress: {
    phase: 'product',
    sentence: 'Cluster Control starts',
    deadlineMs: answersMs + 2 * podStartedMs,
    gates: ['productionWorkerImageInKubernetes', 'productionWorkerIngressComposition'],
  },
  'session-1': {
    phase: 'product',
    sentence: 'the production Worker opens session 1',
    deadlineMs: PRODUCT_ROLLOUT_MS,
    gates: [
      'recreateOrderingObserved',
      'pvcJournalSurvivedRolloutAndForcedPodLoss',
      'explicitIdentityGenerationRolloutObserved',
      'productionWorkerImageInKubernetes',
      'productionWorkerIngressComposition',
      'productionSessionReplacement',
      'productionStartupReconciliation',
    ],
  },
  'generation-4': {
    phase: 'product',
    sentence: 'generation 4 is rotated on the host: session 2',
    deadlineMs: PRODUCT_ROLLOUT_MS + answersMs,
    gates: [
      'secretAndDeploymentResourceVersionCas',
      'recreateOrderingObserved',
      'pvcJournalSurvivedRolloutAndForcedPodLoss',
      'tokenRequestSessionDisposed',
      'productionWorkerIngressComposition',
      'productionSessionReplacement',
      'productionStartupReconciliation',
      'productionGracefulDrainToOffline',
    ],
  },
  'product-identity-b': {
    phase: 'product',
    sentence: 'the client identity moves to the second certificate: session 3',
    deadlineMs: PRODUCT_ROLLOUT_MS,
    gates: [
      'recreateOrderingObserved',
      'pvcJournalSurvivedRolloutAndForcedPodLoss',
      'explicitIdentityGenerationRolloutObserved',
      'productionWorkerIngressComposition',
      'productionSessionReplacement',
      'productionStartupReconciliation',
      'productionGracefulDrainToOffline',
    ],
  },
  probes: {
    phase: 'end',
    sentence: 'what was replaced is presented again, and must be refused',
    deadlineMs: answersMs + rolloutMs + podStartedMs + 2 * jobMs,
    gates: ['productionWorkerImageInKubernetes', 'productionWorkerIngressComposition'],
  },
  'scale-to-zero': {
    phase: 'end',
    sentence: 'the last session drains',
    deadlineMs: answersMs + 2 * podGoneMs,
    gates: ['recreateOrderingObserved', 'productionSessionReplacement', 'productionGracefulDrainToOffline'],
  },
  collect: {
    phase: 'end',
    sentence: 'the witnesses are heard',
    deadlineMs: answersMs,
    gates: [
      'realKubernetesApi',
      'secretAndDeploymentResourceVersionCas',
      'recreateOrderingObserved',
      'pvcJournalSurvivedRolloutAndForcedPodLoss',
      'strongUserPlanApprovalAndDispatchPersisted',
      'approvalConsumedBeforeTokenRequest',
      'leastPrivilegeTokenIssuerRbac',
      'tokenRequestSessionDisposed',
      'restrictedCredentialDeliveryRbac',
      'realCallerDrivenExecutorJob',
      'executorJobExactReplayWithoutTokenRequest',
      'executorJobUsesProjectedShortLivedIssuerToken',
      'executorJobExactNetworkEgress',
      'productionSessionReplacement',
      'productionGracefulDrainToOffline',
    ],
  },
};
