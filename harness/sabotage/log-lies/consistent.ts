import { CONTRACT_NAMES as NAMES, PROBE_NAMES } from '../../../evidence/contract-names.ts';
import { PROBE_DELIVERY } from '../../../evidence/identities.ts';
import type { Observation, ObservationBodies, ObservedObject } from '../../../evidence/observation.ts';
import type { Catch } from '../catch.ts';
import { actorPods, by, DELIVERY, isExecutorPod, isPod, isProbe, isTargetDeploymentReplace, isTargetSecretReplace, JOB_ISSUER, logged, printed, productPods, sessionOf } from '../log-cast.ts';
import { all, alter, alterFirst, alterRows, copyFirst, drop, dropFirst, find, inTurn, line, renumber, setIn, type Edit, type Row } from '../log-edit.ts';
import type { LogLie } from '../log-lie.ts';

type Audit = ObservationBodies['api.audit'];
type Log = readonly Observation[];

function told(name: string, pretends: string, caughtBy: Catch, edit: Edit): LogLie {
  return { name, pretends, caughtBy: [caughtBy], tell: ({ observations }) => ({ log: edit(observations) }) };
}

const CAS: Catch = 'gates.secretAndDeploymentResourceVersionCas';
const PERSISTED: Catch = 'gates.strongUserPlanApprovalAndDispatchPersisted';
const REPLACEMENT: Catch = 'gates.productionSessionReplacement';
const RECREATE: Catch = 'gates.recreateOrderingObserved';
const COMPOSITION: Catch = 'gates.productionWorkerIngressComposition';
const DRAIN: Catch = 'gates.productionGracefulDrainToOffline';
const RECONCILIATION: Catch = 'gates.productionStartupReconciliation';
const IDENTITY: Catch = 'gates.explicitIdentityGenerationRolloutObserved';
const VOLUME: Catch = 'gates.pvcJournalSurvivedRolloutAndForcedPodLoss';
const IMAGES: Catch = 'gates.productionWorkerImageInKubernetes';
const RESTRICTED: Catch = 'gates.restrictedCredentialDeliveryRbac';
const LEAST: Catch = 'gates.leastPrivilegeTokenIssuerRbac';

const [, , THIRD, FOURTH] = NAMES.credentialIds;
const is = (column: string, value: unknown) => (row: Row): boolean => row[column] === value;
const moreRows = (table: string, like: (row: Row) => boolean, change: Row): Edit => alter('database.rows', (body) => body.table === table, (body) => ({ ...body, rows: [...body.rows, ...body.rows.filter(like).slice(0, 1).map((row) => ({ ...row, ...change }))] }));
const earlier = (instant: unknown, ms: number): string => new Date(Date.parse(String(instant)) - ms).toISOString();
const linesEarlier = (event: string, ms: number): Edit => alter('process.line', ({ line: { event: said, workerId } }) => said === event && workerId === NAMES.workerId, (body) => line({ at: earlier(body.line['at'], ms) })(body));
const inStates = (matches: (object: ObservedObject) => boolean, path: readonly (string | number)[], value: unknown): Edit => alter('api.watched', ({ object }) => matches(object), (body) => ({ ...body, object: setIn(body.object, path, value) }));
const isDeployment = ({ kind, metadata }: ObservedObject): boolean => kind === 'Deployment' && metadata.name === NAMES.deployment;
const isSecret = (name: string) => ({ kind, metadata }: ObservedObject): boolean => kind === 'Secret' && metadata.name === name;
const ofKind = (kind: string, matches: (object: ObservedObject) => boolean, change: (object: ObservedObject) => ObservedObject): Edit => alter('api.object', ({ object }) => object.kind === kind && matches(object), ({ object }) => ({ object: change(object) }));
const workerPod = (uid: (log: Log) => string | undefined, path: readonly (string | number)[], value: unknown): Edit => (log) => alter('api.watched', isPod(uid(log)), (body) => ({ ...body, object: setIn(body.object, path, value) }))(log);
const second = (log: Log): string | undefined => productPods(log)[1];
const during = (log: Log, probe: string) => {
  const { startedAt, endedAt } = find(log, 'probe.result', isProbe(probe)).body;
  return ({ receivedAt }: Audit): boolean => Date.parse(receivedAt) >= Date.parse(startedAt) && Date.parse(receivedAt) <= Date.parse(endedAt);
};

/** A session more, in the database alone: like one that a Worker had, with the audit rows of its registration. */
const sessionMore = (workerId: string, change: Row): Edit => (log) => {
  const registered = find(log, 'database.rows', ({ table }) => table === 'worker_session_history').body.rows.find((row) => row['worker_id'] === workerId && row['reason'] === 'registered');
  const ofRegistration = (row: Row): boolean => row['action'] === 'worker_session.register' && row['resource_id'] === registered?.['session_id'];
  const edits = [
    moreRows('worker_session_history', (row) => row['session_id'] === registered?.['session_id'] && row['reason'] === 'registered', change),
    moreRows('security_audit_events', ofRegistration, { event_id: 'c0ffee00-0000-4000-8000-000000000206', ...(change['worker_id'] !== undefined && { subject_id: change['worker_id'] }), ...(change['session_id'] !== undefined && { resource_id: change['session_id'] }) }),
    ...(change['worker_id'] === undefined ? [alterRows('worker_sessions', is('worker_id', workerId), (row) => ({ ...row, ...change, status: 'online' }))] : [moreRows('worker_sessions', is('worker_id', workerId), { ...change, session_id: registered?.['session_id'] ?? null, generation: registered?.['generation'] ?? null, version: registered?.['version'] ?? null, status: 'online' })]),
  ];
  return inTurn(...edits)(log);
};
const replacedByProbes = (resource: string) => (event: Audit): boolean => by(PROBE_DELIVERY, event) && event.verb === 'update' && event.resource === resource && event.code === 200;

/** A Pod more, told by its watch and by the requests for it, without an owner or with that of another. */
const onePodMore = (uid: (log: Log) => string | undefined, change: (object: ObservedObject) => ObservedObject): Edit => (log) => {
  const states = all(log, 'api.watched', isPod(uid(log)));
  const last = states.at(-1) as Observation;
  const copies = states.map(({ body, ...state }) => ({ ...state, at: last.at, offsetMs: last.offsetMs, body: { ...body, object: change({ ...body.object, metadata: { ...body.object.metadata, uid: 'c0ffee00-0000-4000-8000-000000000200' } }) } }));
  const asked = copyFirst('api.audit', ({ verb, resource, namespace, subresource }) => verb === 'create' && resource === 'pods' && namespace === NAMES.workerNamespace && subresource === null, (body) => ({ ...body, auditId: 'c0ffee00-0000-4000-8000-000000000201' }));
  return asked(renumber(log.toSpliced(last.seq, 0, ...copies)));
};

/** About what each witness could tell by itself, and no two of them together. */
export const CONSISTENT_LIES: readonly LogLie[] = [
  told('token-of-the-generation-before', 'each generation brought a token of its own; the fourth has that of the third', PERSISTED, (log) => {
    const deliveries = find(log, 'database.rows', ({ table }) => table === 'worker_credential_deliveries').body.rows;
    const token = deliveries.find(is('credential_id', THIRD))?.['token_digest'] ?? null;
    return alterRows('worker_credential_deliveries', is('credential_id', FOURTH), (row) => ({ ...row, token_digest: token }))(log);
  }),
  told('credential-of-nobody', 'credentials as they were issued; there is one more that nobody issued', PERSISTED, moreRows('worker_credentials', is('credential_id', FOURTH), { credential_id: 'backdoor', worker_id: 'ql3-worker-backdoor' })),
  told('revoked-by-its-audit-alone', 'revoked as the security audit has it; it has one more', PERSISTED, moreRows('security_audit_events', is('action', 'worker_credential.revoke'), { event_id: 'c0ffee00-0000-4000-8000-000000000202' })),
  told('one-login-for-two', 'two users; one login asked and decided', PERSISTED, inTurn(
    alterRows('approval_requests', is('authority_project_id', NAMES.projectId), (row) => ({ ...row, decided_authentication_id: row['requested_authentication_id'] ?? null })),
    alterRows('security_audit_events', is('action', 'approval.decide'), (row) => ({ ...row, authentication_id: `local-${NAMES.requester}` })),
  )),
  told('decided-by-a-viewer', 'the decider’s role permits it; it permits to look', PERSISTED, alterRows('project_role_bindings', is('subject_id', NAMES.decider), (row) => ({ ...row, role: 'viewer' }))),
  told('session-of-an-expired-credential', 'a session under a credential in force; it had expired', REPLACEMENT, inTurn(
    alterRows('worker_credentials', is('credential_id', FOURTH), (row) => ({ ...row, expires_at_ms: Number(row['issued_at_ms']) + 1 })),
    alterRows('worker_credential_management_plans', is('credential_id', FOURTH), (row) => ({ ...row, credential_expires_at_ms: null })),
  )),
  told('heartbeats-that-nobody-sent', 'each heartbeat on record was sent; there are more than the ingress answered', REPLACEMENT, moreRows('security_audit_events', (row) => row['action'] === 'worker_session.heartbeat' && row['subject_id'] === NAMES.workerId, { event_id: 'c0ffee00-0000-4000-8000-000000000203' })),
  told('registered-before-its-row', 'the Worker was told what was recorded; it said so a second before', REPLACEMENT, linesEarlier('registered', 1000)),
  told('told-before-it-was-asked', 'the Worker was told when its Pod was asked to go; a second before', DRAIN, linesEarlier('shutdown_requested', 1000)),
  told('stopped-before-it-was-offline', 'offline, then stopped; it stopped a second before', DRAIN, linesEarlier('stopped', 1000)),
  told('records-of-nobody', 'records of phase A’s actors; there are ninety more', RECONCILIATION, alter('process.line', ({ line: { event, workerId } }) => event === 'reconciled' && workerId === NAMES.workerId, (body) => line({ rolloutRecordsFound: Number(body.line['rolloutRecordsFound']) + 90 })(body))),
  told('volume-owned-in-between', 'three Workers took the volume over; somebody had it in between', RECONCILIATION, (log) => alter('process.line', ({ podUid, line: { code } }) => podUid === second(log) && code === 'lock_acquired', line({ epoch: 7 }))(log)),
  told('records-of-an-earlier-life', 'a fresh volume; it held the records of another run', VOLUME, alter('process.line', ({ line: { event } }) => event === 'journal_inherited', (body) => line({ lines: ['stop c0ffee00-0000-4000-8000-000000000204', ...(body.line['lines'] as string[])] })(body))),
  told('another-authority-in-between', 'each actor trusted its identity’s authority; the second trusted another', IDENTITY, (log) => {
    const uid = actorPods(log)[1] ?? '';
    const changed = (record: unknown): string => String(record).replace(new RegExp(`^(start ${uid} .*) [0-9a-f]{64}$`), `$1 ${'d'.repeat(64)}`);
    return inTurn(
      alter('process.line', printed(uid, 'started'), (body) => line({ record: changed(body.line['record']) })(body)),
      alter('process.line', ({ line: { event } }) => event === 'journal_inherited', (body) => line({ lines: (body.line['lines'] as string[]).map(changed) })(body)),
    )(log);
  }),
  told('first-session-of-another-certificate', 'the certificate of the Pod’s identity in each session; in the first it was another', IDENTITY, (log) => alter('ingress.line', logged('worker_request', { sessionId: sessionOf(log, 0) }), line({ clientCertificateFingerprint: 'd'.repeat(64) }))(log)),
  told('request-of-another-worker-without-a-row', 'every accepted request is in the database; one of another Worker is not', 'gates.productionWorkerIngressComposition', alterFirst('ingress.line', logged('worker_request', { workerId: PROBE_NAMES.workerId, operation: 'heartbeat' }), line({ workerId: 'ql3-worker-other' }))),
  told('session-of-a-stranger', 'sessions that began at the ingress; one is of a Worker that nobody knows', COMPOSITION, sessionMore(NAMES.workerId, { worker_id: 'ql3-worker-stranger' })),
  told('one-session-more-of-the-probe', 'sessions that began at the ingress; the probe’s Worker has one more', COMPOSITION, sessionMore(PROBE_NAMES.workerId, { session_id: '01900000-0000-7000-8000-00000000beef', generation: 9, version: 90 })),
  told('session-of-the-probe-told-otherwise', 'a session is what its history ends with; that of the probe’s Worker went offline, and no state of it', DRAIN, alterRows('worker_sessions', is('worker_id', PROBE_NAMES.workerId), (row) => ({ ...row, status: 'offline' }))),
  told('secret-of-the-probes-replaced-unlogged', 'whatever changed was written; nobody wrote the Secret of the probes', 'BUNDLE_INTEGRITY', dropFirst('api.audit', replacedByProbes('secrets'))),
  told('deployment-of-the-probes-replaced-unlogged', 'whatever changed was written; nobody wrote the Deployment of the probes', 'BUNDLE_INTEGRITY', dropFirst('api.audit', replacedByProbes('deployments'))),
  told('token-of-the-probes-unlogged', 'a token is asked for before it is used; nobody asked for one of the probes', 'BUNDLE_INTEGRITY', dropFirst('api.audit', ({ subresource, namespace, code }) => subresource === 'token' && namespace === PROBE_NAMES.stageNamespace && code === 201)),
  told('one-serial-for-two-certificates', 'each certificate has a serial number of its own; two have one', 'gates.productionWorkerIngressComposition', (log) => {
    const { clientCertificateSerial } = find(log, 'pki.identity', ({ generation }) => generation === 'product-identity-a').body;
    return alter('pki.identity', ({ generation }) => generation === 'actor-identity-b', (body) => ({ ...body, clientCertificateSerial }))(log);
  }),
  told('role-of-everything', 'eight accesses; the Role gives all', RESTRICTED, ofKind('Role', ({ metadata }) => metadata.namespace === NAMES.workerNamespace, (object) => ({ ...object, rules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }] }))),
  told('bound-beside-the-issuers', 'three may ask for tokens; a fourth is bound beside them', LEAST, ofKind('RoleBinding', ({ metadata }) => metadata.namespace === NAMES.stageNamespace, (object) => ({ ...object, subjects: [...(object['subjects'] as object[]), { kind: 'User', name: 'mallory' }] }))),
  told('credential-read-from-a-node-of-nowhere', 'nodes of this cluster read the credential; another did', RESTRICTED, copyFirst('api.audit', isTargetSecretReplace, (body) => ({ ...body, auditId: 'c0ffee00-0000-4000-8000-000000000205', verb: 'get', user: 'system:node:elsewhere', credentialId: null }))),
  told('executor-of-no-pod', 'the first Job’s Pod asked for the token; the API server does not name it', 'gates.executorJobUsesProjectedShortLivedIssuerToken', alter('api.audit', (event) => by(JOB_ISSUER, event) && event.podUid !== null, (body) => ({ ...body, podUid: null, podName: null }))),
  told('deployment-before-the-secret', 'Secret, then Deployment; it was the other way round', CAS, (log) => {
    const [secret, deployment] = [find(log, 'api.audit', isTargetSecretReplace).body, find(log, 'api.audit', isTargetDeploymentReplace).body];
    return inTurn(
      alterFirst('api.audit', isTargetSecretReplace, (body) => ({ ...body, receivedAt: deployment.completedAt })),
      alterFirst('api.audit', isTargetDeploymentReplace, (body) => ({ ...body, receivedAt: secret.receivedAt })),
    )(log);
  }),
  told('reviewed-when-all-was-done', 'reviewed before it was lent; one review came when all was written', CAS, (log) => {
    const { completedAt } = find(log, 'api.audit', isTargetDeploymentReplace).body;
    return alterFirst('api.audit', (event) => by(DELIVERY, event) && event.accessReview !== null, (body) => ({ ...body, receivedAt: completedAt }))(log);
  }),
  told('staged-for-another-worker', 'what was staged is what was delivered; it was meant for another Worker', 'rbac.separateStageNamespace', alter('api.watched', ({ object }) => object.kind === 'Secret' && object.metadata.namespace === NAMES.stageNamespace, (body) => JSON.parse(JSON.stringify(body).replaceAll(`\\"${NAMES.workerId}\\"`, '\\"ql3-worker-other\\"')) as typeof body)),
  told('stage-left-behind', 'recovery finished with each delivery; a stage is still there', 'approvalExecution.publishedDeliveries', (log) => {
    const { name } = find(log, 'api.watched', ({ type, object }) => type === 'DELETED' && object.kind === 'Secret' && object.metadata.namespace === NAMES.stageNamespace).body.object.metadata;
    return inTurn(drop('api.watched', ({ type, object }) => type === 'DELETED' && object.metadata.name === name), drop('api.audit', (event) => event.verb === 'delete' && event.name === name))(log);
  }),
  told('key-in-the-credential-for-a-while', 'the credential Secret held the token alone; in between a key lay beside it', 'credentialRollout.secretSeparatedFromTlsIdentity', (log) => {
    const states = all(log, 'api.watched', ({ object }) => isSecret(NAMES.targetSecret)(object));
    return alter('api.watched', (_, { seq }) => seq === states[1]?.seq, (body) => ({ ...body, object: { ...body.object, dataKeys: [NAMES.targetDataKey, 'tls.key'] } }))(log);
  }),
  told('rolling-for-a-while', 'Recreate all along; in between it rolled', RECREATE, (log) => {
    const states = all(log, 'api.watched', ({ object }) => isDeployment(object));
    return alter('api.watched', (_, { seq }) => seq === states[2]?.seq, (body) => ({ ...body, object: setIn(body.object, ['spec', 'strategy', 'type'], 'RollingUpdate') }))(log);
  }),
  told('two-replicas', 'one Worker at a time; two were asked for', RECREATE, inStates(isDeployment, ['spec', 'replicas'], 2)),
  told('pod-taken-away-by-a-stranger', 'the cluster replaced the Pod; a stranger took it away', RECREATE, (log) => {
    const { name } = find(log, 'api.watched', isPod(second(log))).body.object.metadata;
    return alter('api.audit', (event) => event.verb === 'delete' && event.resource === 'pods' && event.name === name, (body) => ({ ...body, user: 'mallory' }))(log);
  }),
  told('pod-that-said-nothing', 'each Pod of the Worker said what it ran; one more ran and said nothing', RECREATE, onePodMore(second, (object) => ({ ...object, metadata: { ...object.metadata, name: `${NAMES.deployment}-silent` } }))),
  told('shadow-of-a-worker', 'the Workers alone had volume and credential; another Pod had them too', VOLUME, onePodMore(second, ({ metadata: { ownerReferences: _owner, ...metadata }, ...object }) => ({ ...object, metadata: { ...metadata, name: 'shadow' } }))),
  told('volume-declared-and-not-mounted', 'the Workers keep their state on the claim; they mount something else', VOLUME, workerPod(second, ['spec', 'containers', 0, 'volumeMounts', 0, 'name'], 'scratch')),
  told('folder-of-its-own', 'one state for all Workers; one has a folder of its own', VOLUME, workerPod(second, ['spec', 'containers', 0, 'volumeMounts', 0, 'subPath'], 'mine')),
  told('actor-of-another-image', 'all that ran was built from this source; an actor was not', IMAGES, (log) => alter('api.watched', isPod(actorPods(log)[0]), (body) => JSON.parse(JSON.stringify(body).replaceAll(/sha256:[0-9a-f]{64}/g, `sha256:${'d'.repeat(64)}`)) as typeof body)(log)),
  told('pod-of-another-job-of-that-name', 'the Job’s own Pod; that of an earlier Job of this name', 'gates.realCallerDrivenExecutorJob', alter('api.watched', isExecutorPod(NAMES.executorJob), (body) => setIn(body, ['object', 'metadata', 'ownerReferences', 0, 'uid'], 'c0ffee00-0000-4000-8000-000000000206'))),
  told('conflict-over-nothing', 'refused since somebody had written before; it had read what they wrote', 'probes.competing-writer-secret', alterFirst('api.audit', (event) => event.code === 409 && event.name === PROBE_NAMES.targetSecret, (body) => ({ ...body, resourceVersion: '999999' }))),
  told('crash-without-recovery', 'recovery went on where the executor was killed; nobody asked for its token', 'probes.crash-between-secret-and-deployment', drop('api.audit', ({ impersonatedUser }) => impersonatedUser === PROBE_NAMES.recoveryUser)),
  told('answer-that-was-not-lost', 'it looked again when the answer was lost; it never did', 'probes.lost-replace-response', (log) => {
    const inside = during(log, 'lost-replace-response');
    const replaced = find(log, 'api.audit', (event) => inside(event) && event.verb === 'update' && event.name === PROBE_NAMES.targetSecret);
    return drop('api.audit', (event, { seq }) => seq > replaced.seq && inside(event) && event.verb === 'get' && event.name === PROBE_NAMES.targetSecret)(log);
  }),
  told('refused-for-want-of-a-role', 'the requester could not decide the own request; they had no role any more', 'probes.self-approval', alterRows('project_role_bindings', (row) => row['project_id'] === PROBE_NAMES.projectId && row['subject_id'] === NAMES.requester, (row) => ({ ...row, state: 'revoked' }))),
  told('refused-since-it-had-expired', 'the requester could not decide the own request; it had expired', 'probes.self-approval', (log) => {
    const { actionRef } = find(log, 'probe.result', isProbe('self-approval')).body.facts;
    return alterRows('approval_requests', is('action_ref', actionRef), (row) => ({ ...row, expires_at_ms: Number(row['requested_at_ms']) + 1 }))(log);
  }),
  told('let-in-after-the-reload', 'the revoked certificate was let in no more; it was, once', 'probes.handshake-revoked-certificate', (log) => {
    const { clientCertificateFingerprint, clientCertificateSerial } = find(log, 'pki.identity', ({ generation }) => generation === 'product-identity-a').body;
    const last = all(log, 'ingress.line', logged('tls_handshake')).at(-1);
    return alter('ingress.line', (_, { seq }) => seq === last?.seq, line({ clientCertificateFingerprint, clientCertificateSerial }))(log);
  }),
];
