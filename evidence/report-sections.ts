import { CONTRACT_NAMES } from './contract-names.ts';
import { digest, fields, flag, integer, list, literal, nullable, object, oneOf, text, type Shape } from './shape.ts';

export const HEX_64 = /^[0-9a-f]{64}$/;
export const IMAGE_DIGEST = /^sha256:[0-9a-f]{64}$/;
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
export const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const REQUEST_ID = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;
const OBJECT_NAME = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;
const ACTION_REF = /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,254}$/;
const ROLE_NAME = /^ql3_[a-z_]{1,59}$/;
const IPV4_CIDR = /^(?:\d{1,3}\.){3}\d{1,3}\/32$/;
const IMAGE_NAME = /^[a-z0-9][A-Za-z0-9._:/@-]{0,254}$/;
const VERSION = /^v\d+\.\d+\.\d+[0-9A-Za-z.+-]{0,64}$/;

const architecture = oneOf('amd64', 'arm64');
const imageName = text(IMAGE_NAME, 'an image name');
const imageDigest = text(IMAGE_DIGEST, 'sha256:<64 hex>');
const podUid = text(UUID, 'a Pod UID');

export const releaseKubernetes = object({
  distribution: literal('k3s'),
  image: imageName,
  imageDigest,
  architecture,
  serverVersion: text(VERSION, 'a Kubernetes version'),
});

export const rehearsalKubernetes = object({
  distribution: oneOf('k3s', 'kubernetes', 'embedded'),
  image: nullable(imageName),
  imageDigest: nullable(imageDigest),
  architecture,
  serverVersion: text(VERSION, 'a Kubernetes version'),
});

const databaseFacts = {
  architecture,
  contractVersion: integer(1),
  migrationId: text(REQUEST_ID, 'a migration id'),
  managerRole: text(ROLE_NAME, 'a database role'),
  executorRole: text(ROLE_NAME, 'a database role'),
};
export const releasePostgresql = object({ image: imageName, imageDigest, imageId: imageDigest, ...databaseFacts });
export const rehearsalPostgresql = object({
  image: nullable(imageName),
  imageDigest: nullable(imageDigest),
  imageId: nullable(imageDigest),
  ...databaseFacts,
});

const requestIds = list(text(REQUEST_ID, 'a request id'), { exactly: 4 });
export const approvalExecution = object({
  ...fields(integer(), 'plans', 'consumedApprovals', 'dispatches', 'succeededExecutions', 'credentials', 'publishedDeliveries', 'auditEvents'),
  planDigests: list(digest, { exactly: 4 }),
  approvalRequestIds: requestIds,
  dispatchIds: requestIds,
  hostAuthorizationRechecks: integer(),
  ...fields(flag, 'tokenRequestAfterApprovalConsumption', 'executionReplayWithoutTokenRequest', 'tokenOrSecretPersistedInPlan'),
});

export const credentialRollout = object({
  secretSeparatedFromTlsIdentity: flag,
  generations: list(oneOf(...CONTRACT_NAMES.deploymentGenerations), { exactly: 4 }),
  publicationDigests: list(digest, { exactly: 4 }),
  recreateStoppedOldBeforeStartingNew: flag,
  executorJobStoppedOldBeforeStartingNew: flag,
});

/** The executor's one line on stdout. */
export const executorOutput = object({
  schemaVersion: literal(1),
  component: literal('qinglong3-worker-credential-executor'),
  event: literal('execution_completed'),
  actionRef: text(ACTION_REF, 'an action reference'),
  dispatchId: text(REQUEST_ID, 'a dispatch id'),
  executionStatus: text(/^[a-z_]{1,64}$/),
  deliveryStatus: text(/^[a-z_]{1,64}$/),
  tokenRequestUsed: flag,
});

const cidr = text(IPV4_CIDR, 'an IPv4 /32');
export const callerDrivenExecutorJob = object({
  image: imageName,
  firstJobName: text(OBJECT_NAME, 'a Job name'),
  firstPodUid: podUid,
  firstOutput: executorOutput,
  replayJobName: text(OBJECT_NAME, 'a Job name'),
  replayPodUid: podUid,
  replayOutput: executorOutput,
  backoffLimit: integer(),
  projectedIssuerTokenSeconds: integer(),
  apiServerEgressCidr: cidr,
  apiServerBackendEgressCidr: cidr,
  apiServerBackendPort: integer(1),
  postgresEgressCidr: cidr,
});

export const rbac = object({
  tokenIssuerImpersonatedUser: text(/^[a-z0-9][a-z0-9:.-]{0,252}$/, 'a user name'),
  tokenIssuerExactServiceAccountBound: flag,
  ...fields(integer(), 'hostTokenRequestSessions', 'executorJobTokenRequestSessions', 'shortLivedTokenRequestSeconds', 'issuerAllowedChecks', 'issuerDeniedChecks'),
  ...fields(flag, 'serviceAccountAutomount', 'workerPodServiceAccountTokenProjected', 'separateStageNamespace'),
  ...fields(integer(), 'allowedChecks', 'deniedChecks'),
  ...fields(flag, 'tokenNeverReturnedBySession', 'restrictedClientDisposedAfterEachOperation', 'adapterUsedRestrictedToken'),
});

export const recovery = object({
  pvcPhase: text(/^[A-Z][a-z]{1,31}$/, 'a volume claim phase'),
  sameClaimAfterCredentialRollout: flag,
  sameClaimAfterForcedPodLoss: flag,
  ...fields(podUid, 'oldPodUid', 'rotatedPodUid', 'crashReplacementPodUid', 'executorJobReplacementPodUid', 'identityReplacementPodUid'),
  durableJournalRecords: integer(),
});

export const identityRollout = object({
  generation: text(/^[a-z0-9][a-z0-9.-]{0,62}$/, 'an identity generation'),
  caDigest: digest,
  observedByReplacement: flag,
});

export const productionWorker = object({
  workerImageId: imageDigest,
  controlImageId: imageDigest,
  podUids: list(podUid, { exactly: 3 }),
  nodeNames: list(text(OBJECT_NAME, 'a node name'), { exactly: 3 }),
  sessionIds: list(text(UUID_V7, 'a session id (UUID v7)'), { exactly: 3 }),
  generations: list(integer(1), { exactly: 3 }),
  observationCount: integer(),
  gracefulDrainElapsedMs: integer(),
  terminationGracePeriodSeconds: integer(1),
  ...fields(flag, 'startupReconciliationBeforeOnline', 'everySessionObservedOnlineDrainingOffline', 'credentialRolloutCreatedFreshSession', 'identityRolloutCreatedFreshSession', 'pvcReusedAcrossProductSessions', 'serviceAccountTokenMounted'),
  ...fields(integer(), 'registerAudits', 'transitionAudits', 'heartbeatAudits'),
  credentialSecretsAbsent: flag,
  fourthCredentialId: text(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/, 'a credential id'),
});

/** Every gate by name. */
export const gateFlags = <const N extends readonly string[]>(names: N): Shape<Readonly<Record<N[number], boolean>>> =>
  object(Object.fromEntries(names.map((name) => [name, flag]))) as Shape<Readonly<Record<N[number], boolean>>>;

