import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { deriveReport } from '../evidence/derive.ts';
import type { ReleaseReport } from '../evidence/report.ts';
import { isObject } from '../evidence/shape.ts';
import { completeRun } from '../evidence/testing/complete-run.ts';
import { setIn } from '../evidence/testing/lies.ts';
import { auditReport } from './audit-report.ts';
import type { FindingName } from './findings.ts';
import type { Profile } from './questions/question.ts';

const RELEASE = JSON.parse(readFileSync(new URL('../evidence/fixtures/report-v2-release.json', import.meta.url), 'utf8')) as ReleaseReport;
const REHEARSAL = JSON.parse(JSON.stringify(deriveReport(completeRun({ platform: 'embedded', treeClean: true })).report)) as object;
const NOW = new Date('2026-03-01T00:00:00.000Z');

type Path = readonly (string | number)[];
const pathOf = (text: string): Path => text.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part));
const at = (value: unknown, path: Path): unknown => path.reduce<unknown>((here, key) => (here as Record<string | number, unknown>)[key], value);

function codes(value: unknown, profile: Profile = 'release', sourceCommittedAt: Date | null = null): FindingName[] {
  const { findings, compatible } = auditReport(value, { profile, now: NOW, sourceCommittedAt });
  assert.equal(compatible, findings.length === 0);
  for (const { detail } of findings) assert.ok(detail.length > 10);
  return [...new Set(findings.map(({ code }) => code.replace('QL3_WORKER_KUBERNETES_LIVE_', '') as FindingName))];
}

const HEX = 'a'.repeat(64);
/** One break of every key of the report, keeping its type and form where they can be kept, and the question that must find it. */
const BREAKS: Readonly<Record<FindingName, Readonly<Record<string, unknown>>>> = {
  REPORT_SHAPE: {
    schemaVersion: 2,
    fixture: 'qinglong/worker-kubernetes-rollout-live-contract@v1',
    sourceRevision: 'main',
    'kubernetes.distribution': 'kubernetes',
    'kubernetes.architecture': 'sparc',
    'postgresql.contractVersion': 0,
    'postgresql.imageId': 'latest',
    'approvalExecution.planDigests.0': 'abc',
    'callerDrivenExecutorJob.firstOutput.schemaVersion': 2,
    'callerDrivenExecutorJob.firstOutput.component': 'other',
    'callerDrivenExecutorJob.firstOutput.event': 'execution_failed',
    'callerDrivenExecutorJob.replayOutput.schemaVersion': 2,
    'callerDrivenExecutorJob.replayOutput.component': 'other',
    'callerDrivenExecutorJob.replayOutput.event': 'execution_failed',
    'productionWorker.sessionIds.0': '00000000-0000-4000-8000-000000000001',
    'identityRollout.caDigest': 'sha256:abc',
    'productionWorker.nodeNames.0': 'Not A Node',
    'productionWorker.generations.0': 1.5,
  },
  SECRET_EXPOSURE: {
    'limitations.0': 'postgres://ql3:hunter2@db/ql3',
    'callerDrivenExecutorJob.firstOutput.actionRef': `ql3w_live_generation_3_${'A'.repeat(43)}`,
    'kubernetes.image': '-----BEGIN CERTIFICATE-----',
    'limitations.1': 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJzeXN0ZW0ifQ.c2lnbmF0dXJlLW9mLXRlc3Q',
    'limitations.2': 'kq8Zt0yXb1c2d3e4f5G6h7i8j9kAlBmCnDoEpFqGrHs',
  },
  PLATFORM: {
    observedAt: '2026-04-01T00:00:00.000Z',
    sourceRevision: '0'.repeat(40),
    'kubernetes.image': 'rancher/k3s:v1.34.4-k3s1',
    'kubernetes.imageDigest': `sha256:${HEX}`,
    'kubernetes.architecture': 'arm64',
    'kubernetes.serverVersion': 'v1.34.4+k3s1',
    'postgresql.architecture': 'arm64',
  },
  DATABASE: {
    'postgresql.image': 'postgres:17-bookworm',
    'postgresql.imageDigest': `sha256:${HEX}`,
    'postgresql.imageId': RELEASE.productionWorker.workerImageId,
    'postgresql.migrationId': 'latest',
    'postgresql.managerRole': 'ql3_admin',
    'postgresql.executorRole': 'ql3_worker_credential_manager',
  },
  APPROVAL_EXECUTION: {
    'approvalExecution.plans': 3,
    'approvalExecution.consumedApprovals': 5,
    'approvalExecution.dispatches': 3,
    'approvalExecution.succeededExecutions': 3,
    'approvalExecution.credentials': 5,
    'approvalExecution.publishedDeliveries': 3,
    'approvalExecution.auditEvents': 15,
    'approvalExecution.planDigests.1': RELEASE.approvalExecution.planDigests[0],
    'approvalExecution.approvalRequestIds.3': RELEASE.approvalExecution.approvalRequestIds[0],
    'approvalExecution.dispatchIds.0': RELEASE.approvalExecution.dispatchIds[1],
    'approvalExecution.hostAuthorizationRechecks': 8,
    'approvalExecution.tokenRequestAfterApprovalConsumption': false,
    'approvalExecution.executionReplayWithoutTokenRequest': false,
    'approvalExecution.tokenOrSecretPersistedInPlan': true,
  },
  CREDENTIAL_ROLLOUT: {
    'credentialRollout.secretSeparatedFromTlsIdentity': false,
    'credentialRollout.generations.1': 'generation-live_generation_3',
    'credentialRollout.publicationDigests.2': RELEASE.credentialRollout.publicationDigests[3],
    'credentialRollout.publicationDigests.0': RELEASE.approvalExecution.planDigests[0],
    'credentialRollout.recreateStoppedOldBeforeStartingNew': false,
    'credentialRollout.executorJobStoppedOldBeforeStartingNew': false,
  },
  EXECUTOR_JOB: {
    'callerDrivenExecutorJob.image': 'busybox:1',
    'callerDrivenExecutorJob.firstJobName': 'other',
    'callerDrivenExecutorJob.firstPodUid': RELEASE.recovery.oldPodUid,
    'callerDrivenExecutorJob.firstOutput.actionRef': 'live/live_generation_4',
    'callerDrivenExecutorJob.firstOutput.dispatchId': RELEASE.approvalExecution.dispatchIds[3],
    'callerDrivenExecutorJob.firstOutput.executionStatus': 'existing',
    'callerDrivenExecutorJob.firstOutput.deliveryStatus': 'existing',
    'callerDrivenExecutorJob.firstOutput.tokenRequestUsed': false,
    'callerDrivenExecutorJob.replayJobName': 'ql3-worker-credential-executor-live',
    'callerDrivenExecutorJob.replayPodUid': RELEASE.callerDrivenExecutorJob.firstPodUid,
    'callerDrivenExecutorJob.replayOutput.actionRef': 'live/live_generation_4',
    'callerDrivenExecutorJob.replayOutput.dispatchId': RELEASE.approvalExecution.dispatchIds[0],
    'callerDrivenExecutorJob.replayOutput.executionStatus': 'succeeded',
    'callerDrivenExecutorJob.replayOutput.deliveryStatus': 'published',
    'callerDrivenExecutorJob.replayOutput.tokenRequestUsed': true,
    'callerDrivenExecutorJob.backoffLimit': 1,
    'callerDrivenExecutorJob.projectedIssuerTokenSeconds': 3600,
    'callerDrivenExecutorJob.apiServerEgressCidr': '10.43.0.256/32',
    'callerDrivenExecutorJob.apiServerBackendEgressCidr': RELEASE.callerDrivenExecutorJob.postgresEgressCidr,
    'callerDrivenExecutorJob.apiServerBackendPort': 443,
    'callerDrivenExecutorJob.postgresEgressCidr': '010.0.0.1/32',
  },
  RBAC: {
    'rbac.tokenIssuerImpersonatedUser': 'system:admin',
    'rbac.tokenIssuerExactServiceAccountBound': false,
    'rbac.hostTokenRequestSessions': 4,
    'rbac.executorJobTokenRequestSessions': 2,
    'rbac.shortLivedTokenRequestSeconds': 3600,
    'rbac.issuerAllowedChecks': 2,
    'rbac.issuerDeniedChecks': 7,
    'rbac.serviceAccountAutomount': true,
    'rbac.workerPodServiceAccountTokenProjected': true,
    'rbac.separateStageNamespace': false,
    'rbac.allowedChecks': 9,
    'rbac.deniedChecks': 19,
    'rbac.tokenNeverReturnedBySession': false,
    'rbac.restrictedClientDisposedAfterEachOperation': false,
    'rbac.adapterUsedRestrictedToken': false,
  },
  RECOVERY: {
    'recovery.pvcPhase': 'Lost',
    'recovery.sameClaimAfterCredentialRollout': false,
    'recovery.sameClaimAfterForcedPodLoss': false,
    'recovery.oldPodUid': RELEASE.recovery.rotatedPodUid,
    'recovery.rotatedPodUid': RELEASE.productionWorker.podUids[0],
    'recovery.crashReplacementPodUid': RELEASE.recovery.oldPodUid,
    'recovery.executorJobReplacementPodUid': RELEASE.callerDrivenExecutorJob.firstPodUid,
    'recovery.identityReplacementPodUid': RELEASE.productionWorker.podUids[2],
    'recovery.durableJournalRecords': 4,
  },
  IDENTITY: {
    'identityRollout.generation': 'product-identity-a',
    'identityRollout.caDigest': RELEASE.credentialRollout.publicationDigests[0],
    'identityRollout.observedByReplacement': false,
  },
  PRODUCT_WORKER: {
    'productionWorker.workerImageId': RELEASE.productionWorker.controlImageId,
    'productionWorker.controlImageId': RELEASE.productionWorker.workerImageId,
    'productionWorker.podUids.1': RELEASE.productionWorker.podUids[0],
    'productionWorker.podUids.2': RELEASE.recovery.oldPodUid,
    'productionWorker.nodeNames.1': 'another-node',
    'productionWorker.sessionIds.2': RELEASE.productionWorker.sessionIds[0],
    'productionWorker.generations.1': 1,
    'productionWorker.observationCount': 8,
    'productionWorker.gracefulDrainElapsedMs': 30_001,
    'productionWorker.terminationGracePeriodSeconds': 30,
    'productionWorker.startupReconciliationBeforeOnline': false,
    'productionWorker.everySessionObservedOnlineDrainingOffline': false,
    'productionWorker.credentialRolloutCreatedFreshSession': false,
    'productionWorker.identityRolloutCreatedFreshSession': false,
    'productionWorker.pvcReusedAcrossProductSessions': false,
    'productionWorker.serviceAccountTokenMounted': true,
    'productionWorker.registerAudits': 2,
    'productionWorker.transitionAudits': 5,
    'productionWorker.heartbeatAudits': 2,
    'productionWorker.credentialSecretsAbsent': false,
    'productionWorker.fourthCredentialId': 'live_generation_3',
  },
  GATES: Object.fromEntries(Object.keys(RELEASE.gates).map((name) => [`gates.${name}`, false])),
  LIMITATIONS: {
    'limitations.0': 'none',
    'limitations.3': RELEASE.limitations[0],
    limitations: RELEASE.limitations.slice(0, 3),
  },
  BUNDLE_INTEGRITY: {},
  DERIVATION: {},
  PROBES: {},
};

/** Every key of the report, down to the leaves; a list counts by its first item. */
function keysOf(value: unknown, path: Path = []): Path[] {
  if (Array.isArray(value)) return typeof value[0] === 'object' ? keysOf(value[0], [...path, 0]) : [path];
  if (!isObject(value)) return [path];
  return Object.keys(value).flatMap((key) => [[...path, key], ...keysOf(value[key], [...path, key])]);
}
const without = (value: unknown, path: Path): unknown => {
  const copy = structuredClone(value);
  delete (at(copy, path.slice(0, -1)) as Record<string | number, unknown>)[path.at(-1) as string];
  return copy;
};

describe('auditing a release report', () => {
  it('accepts a correct one', () => assert.deepEqual(codes(RELEASE), []));
  it('accepts what was derived from a whole run', () => assert.deepEqual(codes(deriveReport(completeRun()).report), []));

  for (const [name, breaks] of Object.entries(BREAKS)) {
    for (const [path, value] of Object.entries(breaks)) {
      it(`finds ${name} when ${path} is broken`, () => {
        assert.notDeepEqual(at(RELEASE, pathOf(path)), value);
        assert.ok(codes(setIn(RELEASE, pathOf(path), value)).includes(name as FindingName), String(codes(setIn(RELEASE, pathOf(path), value))));
      });
    }
  }

  it('has a break for every key', () => {
    const broken = Object.values(BREAKS).flatMap((breaks) => Object.keys(breaks));
    for (const path of keysOf(RELEASE)) {
      const text = path.join('.');
      if (isObject(at(RELEASE, path))) continue;
      assert.ok(broken.some((each) => each === text || each.startsWith(`${text}.`)), text);
    }
  });

  for (const path of keysOf(RELEASE)) {
    it(`finds REPORT_SHAPE without ${path.join('.')}, with another type in its place, and with a key beside it`, () => {
      assert.deepEqual(codes(without(RELEASE, path)), ['REPORT_SHAPE']);
      assert.deepEqual(codes(setIn(RELEASE, path, null)), ['REPORT_SHAPE']);
      assert.deepEqual(codes(setIn(RELEASE, [...path.slice(0, -1), 'extra'], true)), ['REPORT_SHAPE']);
    });
  }

  for (const key of ['token', 'Password', 'private_key', 'kubeConfig', 'TLS-Key', 'authorization', 'clientKey', 'dsn', 'secret', 'bearer', 'assertion', 'certificate', 'connection_string']) {
    it(`finds SECRET_EXPOSURE in a key called ${key}`, () => assert.deepEqual(codes(setIn(RELEASE, ['rbac', key], 'x')).sort(), ['REPORT_SHAPE', 'SECRET_EXPOSURE']));
  }

  it('still holds well-formed values against the contract when another one is missing', () => {
    const broken = setIn(setIn(RELEASE, ['productionWorker', 'gracefulDrainElapsedMs'], null), ['productionWorker', 'everySessionObservedOnlineDrainingOffline'], false);
    assert.deepEqual(codes(broken), ['REPORT_SHAPE', 'PRODUCT_WORKER']);
    const { findings } = auditReport(broken, { profile: 'release', now: NOW, sourceCommittedAt: null });
    assert.deepEqual(findings.map(({ detail }) => detail.slice(0, detail.indexOf(':'))), ['$.productionWorker.gracefulDrainElapsedMs', 'productionWorker.everySessionObservedOnlineDrainingOffline']);
  });

  it('never repeats what it found exposed', () => {
    const exposed = `ql3w_live_generation_3_${'B'.repeat(43)}`;
    const { findings } = auditReport(setIn(setIn(RELEASE, ['limitations', 0], exposed), [exposed], 1), { profile: 'release', now: NOW, sourceCommittedAt: null });
    const secretDetails = findings.filter(({ code }) => code.endsWith('SECRET_EXPOSURE')).map(({ detail }) => detail);
    assert.equal(secretDetails.length, 2);
    assert.ok(secretDetails.every((detail) => !detail.includes('BBBB')));
  });

  it('finds PLATFORM in a report older than its source revision', () => {
    assert.deepEqual(codes(RELEASE, 'release', new Date('2026-02-06T09:41:28.000Z')), ['PLATFORM']);
    assert.deepEqual(codes(RELEASE, 'release', new Date('2026-02-06T09:41:27.000Z')), []);
  });
});

describe('auditing a rehearsal report', () => {
  it('accepts a correct one as a rehearsal', () => assert.deepEqual(codes(REHEARSAL, 'rehearsal'), []));
  it('accepts one on other images', () => assert.deepEqual(codes(deriveReport(completeRun({ platform: 'other-images', treeClean: false })).report, 'rehearsal'), []));
  it('refuses it as release evidence, naming PLATFORM', () => assert.ok(codes(REHEARSAL).includes('PLATFORM')));
  it('refuses it as release evidence for the gates too that its platform could not prove', () => {
    const { findings } = auditReport(REHEARSAL, { profile: 'release', now: NOW, sourceCommittedAt: null });
    for (const gate of (REHEARSAL as { unproven: string[] }).unproven) assert.ok(findings.some(({ code, detail }) => code.endsWith('_GATES') && detail === `gates.${gate}: expected true, got false`), gate);
  });
  it('says first that it is a rehearsal, and which profile judges it as one', () => {
    const { findings } = auditReport(REHEARSAL, { profile: 'release', now: NOW, sourceCommittedAt: null });
    assert.match(findings[0]?.detail ?? '', /^fixture: expected ".*live-contract@v2", got ".*rehearsal@v2": this is a rehearsal, which is no release evidence; --profile=rehearsal judges it as one$/);
  });
  it('refuses a release report as a rehearsal, naming PLATFORM', () => assert.ok(codes(RELEASE, 'rehearsal').includes('PLATFORM')));
  it('finds PLATFORM when it borrows the release fixture', () => assert.ok(codes(without(setIn(REHEARSAL, ['fixture'], RELEASE.fixture), ['unproven'])).length > 0));

  for (const [what, path, value, name] of [
    ['a gate is claimed that the platform cannot prove', 'gates.realKubernetesApi', true, 'GATES'],
    ['a gate is hidden as unproven', 'unproven', ['realKubernetesApi', 'recreateOrderingObserved', 'executorJobExactNetworkEgress', 'passed'], 'GATES'],
    ['a gate is false that can be proven', 'gates.recreateOrderingObserved', false, 'GATES'],
    ['nothing is unproven', 'unproven', [], 'GATES'],
    ['its own limitations are left out', 'limitations', RELEASE.limitations, 'LIMITATIONS'],
    ['the embedded cluster has an image', 'kubernetes.image', 'rancher/k3s:v1.34.3-k3s1', 'PLATFORM'],
    ['a count is short', 'approvalExecution.auditEvents', 12, 'APPROVAL_EXECUTION'],
    ['the database has an image without a digest', 'postgresql.image', 'postgres:18.4', 'DATABASE'],
  ] as const) {
    it(`finds ${name} when ${what}`, () => assert.ok(codes(setIn(REHEARSAL, pathOf(path), value), 'rehearsal').includes(name)));
  }
});
