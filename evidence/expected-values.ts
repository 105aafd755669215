import { CONTRACT_NAMES } from './contract-names.ts';
import type { Section, SectionName } from './report.ts';

/** A value that contract v2 fixes: exactly this one, or a number within bounds. */
export type Expected = string | number | boolean | readonly string[] | { readonly atLeast?: number; readonly atMost?: number };

/** What the contract fixes of each section, whatever the platform. The rest varies from run to run and is tied together by the auditor. */
export const EXPECTED_VALUES: { readonly [N in SectionName]: { readonly [K in keyof Section<N>]?: Expected } } = {
  kubernetes: {},
  postgresql: { managerRole: 'ql3_worker_credential_manager', executorRole: 'ql3_worker_credential_executor' },
  approvalExecution: {
    plans: 4,
    consumedApprovals: 4,
    dispatches: 4,
    succeededExecutions: 4,
    credentials: 4,
    publishedDeliveries: 4,
    auditEvents: 16,
    hostAuthorizationRechecks: 9,
    tokenRequestAfterApprovalConsumption: true,
    executionReplayWithoutTokenRequest: true,
    tokenOrSecretPersistedInPlan: false,
  },
  credentialRollout: {
    secretSeparatedFromTlsIdentity: true,
    generations: CONTRACT_NAMES.deploymentGenerations,
    recreateStoppedOldBeforeStartingNew: true,
    executorJobStoppedOldBeforeStartingNew: true,
  },
  callerDrivenExecutorJob: {
    firstJobName: CONTRACT_NAMES.executorJob,
    replayJobName: CONTRACT_NAMES.executorReplayJob,
    backoffLimit: 0,
    projectedIssuerTokenSeconds: 600,
  },
  rbac: {
    tokenIssuerImpersonatedUser: CONTRACT_NAMES.issuerUser,
    tokenIssuerExactServiceAccountBound: true,
    hostTokenRequestSessions: 3,
    executorJobTokenRequestSessions: 1,
    shortLivedTokenRequestSeconds: 600,
    issuerAllowedChecks: 1,
    issuerDeniedChecks: 8,
    serviceAccountAutomount: false,
    workerPodServiceAccountTokenProjected: false,
    separateStageNamespace: true,
    allowedChecks: 8,
    deniedChecks: 20,
    tokenNeverReturnedBySession: true,
    restrictedClientDisposedAfterEachOperation: true,
    adapterUsedRestrictedToken: true,
  },
  recovery: {
    pvcPhase: 'Bound',
    sameClaimAfterCredentialRollout: true,
    sameClaimAfterForcedPodLoss: true,
    durableJournalRecords: { atLeast: 5 },
  },
  identityRollout: { generation: 'product-identity-b', observedByReplacement: true },
  productionWorker: {
    observationCount: { atLeast: 9 },
    gracefulDrainElapsedMs: { atLeast: 0, atMost: 30_000 },
    terminationGracePeriodSeconds: 360,
    startupReconciliationBeforeOnline: true,
    everySessionObservedOnlineDrainingOffline: true,
    credentialRolloutCreatedFreshSession: true,
    identityRolloutCreatedFreshSession: true,
    pvcReusedAcrossProductSessions: true,
    serviceAccountTokenMounted: false,
    registerAudits: { atLeast: 3 },
    transitionAudits: { atLeast: 6 },
    heartbeatAudits: { atLeast: 3 },
    credentialSecretsAbsent: true,
    fourthCredentialId: 'live_generation_4',
  },
};

export function meets(value: unknown, expected: Expected): boolean {
  if (Array.isArray(expected)) return Array.isArray(value) && value.length === expected.length && value.every((item, index) => item === expected[index]);
  if (typeof expected !== 'object') return value === expected;
  const { atLeast = -Infinity, atMost = Infinity } = expected as { atLeast?: number; atMost?: number };
  return typeof value === 'number' && value >= atLeast && value <= atMost;
}

export function describeExpected(expected: Expected): string {
  if (typeof expected !== 'object' || Array.isArray(expected)) return JSON.stringify(expected);
  const { atLeast, atMost } = expected as { atLeast?: number; atMost?: number };
  return [atLeast === undefined ? null : `at least ${atLeast}`, atMost === undefined ? null : `at most ${atMost}`].filter((part) => part !== null).join(' and ');
}
