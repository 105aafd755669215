import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CONTRACT_NAMES as NAMES } from '../contract-names.ts';
import { deriveReport } from '../derive.ts';
import { DELIVERY, HOST_ISSUER, JOB_ISSUER } from '../identities.ts';
import type { AuditEvent } from '../observation.ts';
import { SECTION_NAMES } from '../report.ts';
import { alter, alterObject, alterRow, drop, dropRow, insertAfter, setIn, type Lie } from '../testing/lies.ts';
import { actors, isClaim, isControlPod, isJob, isPod, isPodOfJob, isTargetSecret, logged, ofSession, printed, productNames, products, replaceOf, RUN, sessionIds } from '../testing/scenes.ts';

const of = (identity: string) => (event: AuditEvent): boolean => (event.impersonatedUser ?? event.user) === identity;
const tokenRequest = (identity: string) => (event: AuditEvent): boolean => of(identity)(event) && event.subresource === 'token';
const allowedReview = (identity: string, allowed: boolean) => (event: AuditEvent): boolean => of(identity)(event) && event.accessReview?.allowed === allowed;
const action = (generation: number) => (row: { [column: string]: unknown }): boolean => row['action_ref'] === `live/live_generation_${generation}`;
const credential = (generation: number) => (row: { [column: string]: unknown }): boolean => row['credential_id'] === `live_generation_${generation}`;
const outputLine = (status: string) => ({ line }: { readonly line: Readonly<Record<string, unknown>> }): boolean => line['executionStatus'] === status;
const policy = (path: readonly (string | number)[], value: unknown): Lie => alter('api.object', ({ object }) => object.kind === 'NetworkPolicy', (body) => ({ object: setIn(body.object, path, value) }));
const terminated = (object: unknown): boolean => JSON.stringify(object).includes('terminated');

/** For each field of the report one change of the observations after which it must be another, or null. */
const CHANGES: Readonly<Record<string, Readonly<Record<string, () => Lie>>>> = {
  kubernetes: {
    distribution: () => alter('platform.version', () => true, (body) => ({ ...body, gitVersion: 'v1.34.3' })),
    image: () => drop('platform.cluster'),
    imageDigest: () => alter('platform.cluster', () => true, (body) => ({ ...body, imageDigest: `sha256:${'0'.repeat(64)}` })),
    architecture: () => alter('platform.node', () => true, (body) => ({ ...body, architecture: 'arm64' })),
    serverVersion: () => drop('platform.version'),
  },
  postgresql: {
    image: () => drop('platform.database-container'),
    imageDigest: () => alter('platform.database-container', () => true, (body) => ({ ...body, imageDigest: `sha256:${'0'.repeat(64)}` })),
    imageId: () => alter('platform.database-container', () => true, (body) => ({ ...body, imageId: null })),
    architecture: () => alter('platform.database-container', () => true, (body) => ({ ...body, architecture: 'sparc' })),
    contractVersion: () => drop('platform.database'),
    migrationId: () => alter('platform.database', () => true, (body) => ({ ...body, migrationIds: ['0001-schema'] })),
    managerRole: () => alter('database.current-user', ({ connection }) => connection === 'manager', (body) => ({ ...body, currentUser: 'postgres' })),
    executorRole: () => drop('database.current-user', ({ connection }) => connection === 'executor'),
  },
  approvalExecution: {
    plans: () => dropRow('worker_credential_management_plans', credential(1)),
    consumedApprovals: () => alterRow('approval_requests', action(1), { state: 'approved' }),
    dispatches: () => dropRow('approved_action_dispatches', action(2)),
    succeededExecutions: () => alterRow('approved_action_executions', action(3), { state: 'executing' }),
    credentials: () => dropRow('worker_credentials', credential(4)),
    publishedDeliveries: () => dropRow('worker_credential_deliveries', (row) => credential(2)(row) && row['state'] === 'published'),
    auditEvents: () => dropRow('security_audit_events', (row) => row['action'] === 'approval.consume'),
    planDigests: () => alterRow('worker_credential_management_plans', credential(3), { plan_digest: '0'.repeat(64) }),
    approvalRequestIds: () => alterRow('approval_requests', action(2), { request_id: 'other' }),
    dispatchIds: () => alterRow('approved_action_dispatches', action(4), { dispatch_id: 'other' }),
    hostAuthorizationRechecks: () => drop('action.authorization-confirmed', ({ purpose, generation }) => purpose === 'before_authority' && generation === 4),
    tokenRequestAfterApprovalConsumption: () => alterRow('approval_requests', action(1), { consumed_at_ms: 9_999_999_999_999 }),
    executionReplayWithoutTokenRequest: () => drop('action.completed', ({ replay, generation }) => replay && generation === 2),
    tokenOrSecretPersistedInPlan: () => alterRow('worker_credential_management_plans', credential(1), { note: `ql3w_live_generation_1_${'A'.repeat(43)}` }),
  },
  credentialRollout: {
    secretSeparatedFromTlsIdentity: () => alterObject(isTargetSecret, ['dataKeys'], ['credential-token', 'tls.key']),
    generations: () => alterRow('worker_credential_deliveries', credential(1), { deployment_generation: 'generation-other' }),
    publicationDigests: () => alterRow('worker_credential_deliveries', (row) => credential(3)(row) && row['state'] === 'published', { publication_digest: '0'.repeat(64) }),
    recreateStoppedOldBeforeStartingNew: () => drop('process.line', printed(actors[1], 'journal_inherited')),
    executorJobStoppedOldBeforeStartingNew: () => drop('process.line', printed(actors[3], 'journal_inherited')),
  },
  callerDrivenExecutorJob: {
    image: () => alterObject(isPodOfJob(NAMES.executorReplayJob), ['spec', 'containers', 0, 'image'], 'other:1'),
    firstJobName: () => drop('api.watched', ({ object }) => isJob(NAMES.executorJob)(object)),
    firstPodUid: () => drop('api.watched', ({ object }) => isPodOfJob(NAMES.executorJob)(object)),
    firstOutput: () => drop('process.line', outputLine('succeeded')),
    replayJobName: () => drop('api.watched', ({ object }) => isJob(NAMES.executorReplayJob)(object)),
    replayPodUid: () => drop('api.watched', ({ object }) => isPodOfJob(NAMES.executorReplayJob)(object)),
    replayOutput: () => alter('process.line', outputLine('existing'), (body) => ({ ...body, line: { ...body.line, tokenRequestUsed: true } })),
    backoffLimit: () => alterObject(isJob(NAMES.executorReplayJob), ['spec', 'backoffLimit'], 3),
    projectedIssuerTokenSeconds: () => alterObject(isPodOfJob(NAMES.executorJob), ['spec', 'volumes'], []),
    apiServerEgressCidr: () => policy(['spec', 'egress', 0, 'to', 0, 'ipBlock', 'cidr'], '10.0.0.0/8'),
    apiServerBackendEgressCidr: () => policy(['spec', 'egress', 1, 'to', 0, 'ipBlock', 'cidr'], '10.0.0.0/8'),
    apiServerBackendPort: () => policy(['spec', 'egress', 1, 'ports', 0, 'port'], 443),
    postgresEgressCidr: () => drop('api.object', ({ object }) => object.kind === 'NetworkPolicy'),
  },
  rbac: {
    tokenIssuerImpersonatedUser: () => alter('api.audit', tokenRequest(HOST_ISSUER), (body) => ({ ...body, user: HOST_ISSUER, impersonatedUser: null })),
    tokenIssuerExactServiceAccountBound: () => insertAfter('api.audit', tokenRequest(JOB_ISSUER), (body) => ({ ...body, name: 'other' })),
    hostTokenRequestSessions: () => insertAfter('api.audit', tokenRequest(HOST_ISSUER), (body) => body),
    executorJobTokenRequestSessions: () => drop('api.audit', tokenRequest(JOB_ISSUER)),
    shortLivedTokenRequestSeconds: () => alter('action.token-session', ({ generation }) => generation === 1, (body) => ({ ...body, tokenLifetimeSeconds: 3600 })),
    issuerAllowedChecks: () => drop('api.audit', allowedReview(JOB_ISSUER, true)),
    issuerDeniedChecks: () => drop('api.audit', (event) => allowedReview(HOST_ISSUER, false)(event) && event.accessReview?.resource === 'pods'),
    serviceAccountAutomount: () => alterObject(isPod(actors[2]), ['spec', 'automountServiceAccountToken'], true),
    workerPodServiceAccountTokenProjected: () => alterObject(isPod(products[0]), ['spec', 'volumes', 2], { projected: { sources: [{ serviceAccountToken: { path: 'token' } }] } }),
    separateStageNamespace: () => alter('api.audit', (event) => of(DELIVERY)(event) && event.verb === 'create' && event.resource === 'secrets', (body) => ({ ...body, namespace: NAMES.workerNamespace })),
    allowedChecks: () => drop('api.audit', (event) => allowedReview(DELIVERY, true)(event) && event.accessReview?.verb === 'list'),
    deniedChecks: () => drop('api.audit', (event) => allowedReview(DELIVERY, false)(event) && event.accessReview?.verb === 'watch'),
    tokenNeverReturnedBySession: () => alter('probe.result', ({ probe }) => probe === 'disposed-client', (body) => ({ ...body, facts: { ...body.facts, sessionMembers: ['withDelivery', 'token'] } })),
    restrictedClientDisposedAfterEachOperation: () => alter('action.token-session', ({ generation }) => generation === 4, (body) => ({ ...body, clientDisposed: false })),
    adapterUsedRestrictedToken: () => alter('api.audit', replaceOf('secrets', 1), (body) => ({ ...body, user: 'system:admin' })),
  },
  recovery: {
    pvcPhase: () => alterObject(isClaim, ['status', 'phase'], 'Lost'),
    sameClaimAfterCredentialRollout: () => alterObject(isPod(actors[1]), ['spec', 'volumes', 1, 'persistentVolumeClaim', 'claimName'], 'other'),
    sameClaimAfterForcedPodLoss: () => alter('process.line', printed(actors[2], 'journal_inherited'), (body) => ({ ...body, line: { ...body.line, lines: [] } })),
    oldPodUid: () => drop('process.line', printed(actors[0], 'started')),
    rotatedPodUid: () => drop('process.line', printed(actors[1], 'started')),
    crashReplacementPodUid: () => drop('process.line', printed(actors[2], 'started')),
    executorJobReplacementPodUid: () => drop('process.line', printed(actors[3], 'started')),
    identityReplacementPodUid: () => drop('process.line', printed(actors[4], 'started')),
    durableJournalRecords: () => alter('process.line', printed(actors[4], 'journal_inherited'), (body) => ({ ...body, line: { ...body.line, lines: [] } })),
  },
  identityRollout: {
    generation: () => alterObject(isPod(products[2]), ['metadata', 'annotations', 'qinglong.io/worker-identity-generation'], 'product-identity-a'),
    caDigest: () => drop('pki.identity', ({ generation }) => generation === 'product-identity-b'),
    observedByReplacement: () => alter('ingress.line', logged('worker_request', { sessionId: sessionIds[2] }), (body) => ({ ...body, line: { ...body.line, clientCertificateFingerprint: 'e'.repeat(64) } })),
  },
  productionWorker: {
    workerImageId: () => alterObject((object) => isPod(products[1])(object) && terminated(object), ['status', 'containerStatuses', 0, 'imageID'], `sha256:${'0'.repeat(64)}`),
    controlImageId: () => drop('api.watched', ({ object }) => isControlPod(object)),
    podUids: () => drop('process.line', printed(products[1], 'starting')),
    nodeNames: () => alterObject(isPod(products[0]), ['spec', 'nodeName'], 'other'),
    sessionIds: () => drop('process.line', printed(products[2], 'registered')),
    generations: () => alterRow('worker_session_history', ofSession(1, 'registered'), { generation: 7 }),
    observationCount: () => dropRow('worker_session_history', ofSession(1, 'heartbeat')),
    gracefulDrainElapsedMs: () => drop('api.audit', (event) => event.verb === 'delete' && event.name === productNames[0]),
    terminationGracePeriodSeconds: () => alterObject(isPod(products[2]), ['spec', 'terminationGracePeriodSeconds'], 30),
    startupReconciliationBeforeOnline: () => drop('process.line', printed(products[0], 'reconciled')),
    everySessionObservedOnlineDrainingOffline: () => dropRow('worker_session_history', ofSession(2, 'draining')),
    credentialRolloutCreatedFreshSession: () => alterRow('worker_session_history', ofSession(1, 'registered'), { credential_id: 'live_generation_3' }),
    identityRolloutCreatedFreshSession: () => alter('ingress.line', logged('worker_request', { sessionId: sessionIds[1] }), (body) => ({ ...body, line: { ...body.line, clientCertificateFingerprint: null } })),
    pvcReusedAcrossProductSessions: () => alterObject(isPod(products[1]), ['spec', 'volumes', 1, 'persistentVolumeClaim', 'claimName'], 'other'),
    serviceAccountTokenMounted: () => alterObject(isPod(products[1]), ['spec', 'containers', 0, 'volumeMounts', 0, 'mountPath'], '/var/run/secrets/kubernetes.io/serviceaccount'),
    registerAudits: () => dropRow('security_audit_events', (row) => row['action'] === 'worker_session.register' && row['resource_id'] === sessionIds[0]),
    transitionAudits: () => dropRow('security_audit_events', (row) => row['action'] === 'worker_session.transition' && row['resource_id'] === sessionIds[1]),
    heartbeatAudits: () => alterRow('security_audit_events', (row) => row['action'] === 'worker_session.heartbeat' && row['resource_id'] === sessionIds[2], { outcome: 'denied' }),
    credentialSecretsAbsent: () => alter('process.line', printed(products[0], 'starting'), (body) => ({ ...body, line: { ...body.line, argument: `ql3w_live_generation_3_${'A'.repeat(43)}` } })),
    fourthCredentialId: () => alterRow('worker_session_history', ofSession(2, 'registered'), { credential_id: 'other' }),
  },
};

describe('sections', () => {
  const { report: derived } = deriveReport(RUN);
  for (const name of SECTION_NAMES) {
    describe(name, () => {
      const section = derived[name] as Readonly<Record<string, unknown>>;
      it('has a change for each of its fields', () => assert.deepEqual(Object.keys(CHANGES[name] ?? {}).sort(), Object.keys(section).sort()));

      for (const [field, change] of Object.entries(CHANGES[name] ?? {})) {
        it(`${field} follows from what was observed`, () => {
          const changed = deriveReport(change()(RUN)).report[name] as Readonly<Record<string, unknown>>;
          assert.notDeepEqual(changed[field], section[field]);
        });
      }
    });
  }

  it('claim nothing of an empty log', () => {
    const { report, problems } = deriveReport([]);
    for (const name of SECTION_NAMES) assert.ok(!Object.values(report[name]).includes('Bound'), name);
    assert.equal(report.approvalExecution.tokenOrSecretPersistedInPlan, true);
    assert.equal(report.rbac.workerPodServiceAccountTokenProjected, true);
    assert.equal(report.productionWorker.serviceAccountTokenMounted, true);
    assert.ok(problems.length > 50);
  });
});
