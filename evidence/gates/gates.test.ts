import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CONTRACT_NAMES as NAMES, PROBE_NAMES } from '../contract-names.ts';
import { deriveReport } from '../derive.ts';
import { GATE_NAMES, type GateName } from '../gate-names.ts';
import { DELIVERY, HOST_ISSUER, JOB_ISSUER } from '../identities.ts';
import type { AuditEvent, Observation, ObservationOf, ObservedObject } from '../observation.ts';
import { alter, alterObject, alterRow, drop, dropRow, first, insertAfter, setIn, setWitness, type Lie } from '../testing/lies.ts';
import { renumber } from '../testing/story.ts';
import { actorNames, actors, deliveryIds, isClaim, isControlPod, isDeployment, isJob, isPod, isPodOfJob, isTargetSecret, logged, ofSession, printed, productNames, products, replaceOf, RUN, sessionIds, sessionTimes } from '../testing/scenes.ts';

const issuerReview = (event: AuditEvent): boolean => event.impersonatedUser === HOST_ISSUER && event.accessReview !== null;
const deliveryReview = (event: AuditEvent): boolean => event.user === DELIVERY && event.accessReview !== null;
const tokenRequest = (identity: string) => (event: AuditEvent): boolean => event.subresource === 'token' && (event.impersonatedUser ?? event.user) === identity;
const STRANGER = '01900000-0000-7000-8000-ffffffffffff';
/** Copies the first state that matches, its audit rows with it, and changes the copies: whoever adds a state would do no less. */
function moreStates(matches: (row: Row) => boolean, change: Row): Lie {
  return (observations) => {
    const rowsOf = (table: string): readonly Row[] => observations.flatMap(({ kind, body }) => (kind === 'database.rows' && body.table === table ? body.rows : []));
    const state = rowsOf('worker_session_history').find(matches) ?? {};
    const audits = rowsOf('security_audit_events').filter((row) => row['resource_id'] === state['session_id'] && row['outcome'] === 'allowed' && change['reason'] === undefined);
    const added: Readonly<Record<string, readonly Row[]>> = {
      worker_session_history: [{ ...state, ...change }],
      security_audit_events: audits.map((row) => ({ ...row, event_id: `${String(row['event_id'])}-more`, subject_id: change['worker_id'] ?? row['subject_id'] ?? null, resource_id: change['session_id'] ?? row['resource_id'] ?? null })),
    };
    return alter('database.rows', ({ table }) => table in added, (body) => ({ ...body, rows: [...body.rows, ...(added[body.table] ?? [])] }))(observations);
  };
}
type Row = Readonly<Record<string, string | number | boolean | null>>;
const line = (change: object) => <B extends { readonly line: Readonly<Record<string, unknown>> }>(body: B): B => ({ ...body, line: { ...body.line, ...change } });

/** For each gate, lies that it must see through. Each takes away, or changes, what the gate says that it follows from. */
const LIES: Readonly<Record<Exclude<GateName, 'passed'>, Readonly<Record<string, () => Lie>>>> = {
  realKubernetesApi: {
    'the cluster is a stand-in': () => alter('run.started', () => true, (body) => ({ ...body, substrate: 'embedded' })),
    'the version was never asked for': () => drop('platform.version'),
    'the node runs another version': () => alter('platform.node', () => true, (body) => ({ ...body, kubeletVersion: 'v1.20.0' })),
    'the harness vouches for the image': () => setWitness('platform.cluster', 'harness'),
    'the image has no digest': () => alter('platform.cluster', () => true, (body) => ({ ...body, imageDigest: null })),
    'one identity did everything': () => alter('api.audit', () => true, (body) => ({ ...body, user: 'system:admin' })),
  },
  secretAndDeploymentResourceVersionCas: {
    'a Secret replace carried a stale resourceVersion': () => alter('api.audit', replaceOf('secrets', 2), (body) => ({ ...body, resourceVersion: '1' })),
    'a Deployment replace carried none': () => alter('api.audit', replaceOf('deployments', 3), (body) => ({ ...body, resourceVersion: null })),
    'the Deployment was not replaced': () => drop('api.audit', replaceOf('deployments', 1)),
    'somebody else wrote the Secret in between': () => insertAfter('api.audit', replaceOf('secrets', 1), (body) => ({ ...body, auditId: 'another', user: 'system:admin', verb: 'patch' })),
    'a replace was refused': () => alter('api.audit', replaceOf('secrets', 1), (body) => ({ ...body, code: 409 })),
    'the Secret was written twice': () => insertAfter('api.audit', replaceOf('secrets', 4), (body) => body),
    'the Secret was not read before': () => drop('api.audit', (event) => event.user === DELIVERY && event.verb === 'get' && event.name === NAMES.targetSecret),
    'the watch never showed the published Secret': () => drop('api.watched', ({ object }) => isTargetSecret(object)),
    'the Secret is another object': () => alterObject(isTargetSecret, ['metadata', 'uid'], 'another'),
    'nobody competed for the Secret': () => drop('probe.result', ({ probe }) => probe === 'competing-writer-secret'),
    'the competing write of the Deployment was not refused': () => alter('api.audit', (event) => event.code === 409 && event.resource === 'deployments', (body) => ({ ...body, code: 200 })),
  },
  recreateOrderingObserved: {
    'the Deployment rolls': () => alterObject(isDeployment, ['spec', 'strategy', 'type'], 'RollingUpdate'),
    'the old Pod never ended': () => drop('api.watched', ({ type, object }) => isPod(actors[0])(object) && (type === 'DELETED' || object['status'] !== undefined && JSON.stringify(object['status']).includes('terminated'))),
    'an actor never started': () => drop('process.line', printed(actors[1], 'started')),
    'the old actor stopped after the new one started': () => alter('process.line', printed(actors[1], 'journal_inherited'), line({ lines: [] })),
    'session 1 went offline late': () => alterRow('worker_session_history', ofSession(0, 'offline'), { recorded_at_ms: 9_999_999_999_999 }),
    'a Pod ran under another credential': () => alterObject(isPod(products[1]), ['metadata', 'annotations', 'qinglong.io/worker-credential-id'], 'live_generation_3'),
  },
  pvcJournalSurvivedRolloutAndForcedPodLoss: {
    'the claim was made anew': () => insertAfter('api.watched', ({ object }) => isClaim(object), (body) => ({ ...body, object: setIn(body.object, ['metadata', 'uid'], 'another') })),
    'the volume changed': () => insertAfter('api.watched', ({ object }) => isClaim(object), (body) => ({ ...body, object: setIn(body.object, ['spec', 'volumeName'], 'pvc-2') })),
    'the claim was never seen': () => drop('api.watched', ({ object }) => isClaim(object)),
    'a record was lost': () => alter('process.line', printed(actors[4], 'journal_inherited'), (body) => line({ lines: (body.line['lines'] as string[]).slice(1) })(body)),
    'a record was changed': () => alter('process.line', printed(actors[3], 'journal_inherited'), (body) => line({ lines: (body.line['lines'] as string[]).with(0, 'start x') })(body)),
    'the Pod was not lost but drained': () => alterObject((object) => isPod(actors[1])(object), ['status', 'containerStatuses'], [{ state: { terminated: { exitCode: 0 } } }]),
    'the replacement had another token': () => alter('process.line', printed(actors[2], 'started'), (body) => line({ record: String(body.line['record']).replace(/ [0-9a-f]{64} /, ` ${'0'.repeat(64)} `) })(body)),
    'a Pod mounts another claim': () => alterObject(isPod(actors[2]), ['spec', 'volumes', 1, 'persistentVolumeClaim', 'claimName'], 'other'),
  },
  explicitIdentityGenerationRolloutObserved: {
    'the annotation did not move': () => alterObject(isPod(actors[4]), ['metadata', 'annotations', 'qinglong.io/worker-identity-generation'], 'actor-identity-a'),
    'the new actor recorded the old CA': () => alter('pki.identity', ({ generation }) => generation === 'actor-identity-b', (body) => ({ ...body, caDigest: 'f'.repeat(64) })),
    'the new identity was never made': () => drop('pki.identity', ({ generation }) => generation === 'product-identity-b'),
    'session 3 came with the old certificate': () => alter('ingress.line', logged('worker_request', { sessionId: sessionIds[2] }), line({ clientCertificateFingerprint: 'e'.repeat(64) })),
    'the ingress saw no request of session 3': () => drop('ingress.line', logged('worker_request', { sessionId: sessionIds[2] })),
    'the identity came with a new delivery': () => alterObject(isPod(products[2]), ['metadata', 'annotations', 'qinglong.io/worker-credential-delivery-id'], 'another'),
  },
  strongUserPlanApprovalAndDispatchPersisted: {
    'a plan is missing': () => dropRow('worker_credential_management_plans', (row) => row['credential_id'] === 'live_generation_2'),
    'a request was decided by its requester': () => alterRow('approval_requests', (row) => row['action_ref'] === 'live/live_generation_3', { decided_by_id: NAMES.requester }),
    'the requester was weakly authenticated': () => alterRow('approval_requests', (row) => row['action_ref'] === 'live/live_generation_1', { requested_assurance: 'password' }),
    'a request was never consumed': () => alterRow('approval_requests', (row) => row['action_ref'] === 'live/live_generation_4', { state: 'approved', version: 2 }),
    'a dispatch has another digest': () => alterRow('approved_action_dispatches', (row) => row['action_ref'] === 'live/live_generation_4', { action_digest: '0'.repeat(64) }),
    'an execution failed': () => alterRow('approved_action_executions', (row) => row['action_ref'] === 'live/live_generation_2', { state: 'failed' }),
    'an execution has another result': () => alterRow('approved_action_executions', (row) => row['action_ref'] === 'live/live_generation_2', { result_digest: '0'.repeat(64) }),
    'an earlier reading has a request more': () => insertAfter('database.rows', ({ table }) => table === 'approval_requests', (body) => ({ ...body, rows: body.rows.slice(1) })),
    'a request was open again later': () => insertAfter('database.rows', ({ table }) => table === 'approval_requests', (body) => ({ ...body, rows: body.rows.map((row) => (row['state'] === 'consumed' ? { ...row, version: 4, decision: null } : row)) })),
    'an audit row stands there twice': () => alter('database.rows', ({ table }) => table === 'security_audit_events', (body) => ({ ...body, rows: [...body.rows, { ...body.rows[0], outcome: 'denied' }] })),
    'an audit row is missing': () => dropRow('security_audit_events', first((row) => row['action'] === 'approval.decide')),
    'a self-approval went through': () => alterRow('approval_requests', (row) => row['action_ref'] === 'live/probe_self_approval', { state: 'approved', decided_by_id: NAMES.requester }),
  },
  managerExecutorDatabaseRolesSeparated: {
    'the manager was the executor': () => alter('database.current-user', ({ connection }) => connection === 'manager', (body) => ({ ...body, currentUser: 'ql3_worker_credential_executor' })),
    'the executor became its role by SET ROLE': () => alter('database.current-user', ({ connection }) => connection === 'executor', (body) => ({ ...body, sessionUser: 'postgres' })),
    'a forbidden statement was carried out': () => alter('probe.result', ({ probe, facts }) => probe === 'database-forbidden-statement' && facts['role'] === 'ql3_admin', (body) => ({ ...body, facts: { ...body.facts, sqlState: '00000' } })),
    'the Pod saw another database': () => alter('platform.database-reached', ({ from }) => from === 'pod', (body) => ({ ...body, certificateFingerprint: 'f'.repeat(64) })),
    'the database was reached over an old TLS': () => alter('platform.database-reached', () => true, (body) => ({ ...body, protocol: 'TLSv1' })),
    'no Pod reached the database': () => drop('platform.database-reached', ({ from }) => from === 'pod'),
    'the database was reached without TLS': () => alter('platform.database', () => true, (body) => ({ ...body, tls: false })),
    'one role was never asked who it is': () => drop('database.current-user', ({ connection }) => connection === 'runtime'),
    'one role was never tried': () => drop('probe.result', ({ probe, facts }) => probe === 'database-forbidden-statement' && facts['role'] === 'ql3_runtime'),
  },
  approvalConsumedBeforeTokenRequest: {
    'the approval was consumed afterwards': () => alterRow('approval_requests', (row) => row['action_ref'] === 'live/live_generation_2', { consumed_at_ms: (sessionTimes[1]?.requestedMs ?? 0) + 6 }),
    'the execution started afterwards': () => alterRow('approved_action_executions', (row) => row['action_ref'] === 'live/live_generation_3', { started_at_ms: (sessionTimes[2]?.requestedMs ?? 0) + 6 }),
    'a token request was not logged': () => drop('api.audit', first(tokenRequest(HOST_ISSUER))),
    'one token more was requested': () => insertAfter('api.audit', tokenRequest(HOST_ISSUER), (body) => body),
    'the Job had its token requested on the host': () => alter('api.audit', tokenRequest(JOB_ISSUER), (body) => ({ ...body, user: 'system:admin', impersonatedUser: HOST_ISSUER })),
  },
  leastPrivilegeTokenIssuerRbac: {
    'a review is missing': () => drop('api.audit', first(issuerReview)),
    'a denied access was allowed': () => alter('api.audit', first((event) => issuerReview(event) && event.accessReview?.allowed === false), (body) => ({ ...body, accessReview: body.accessReview && { ...body.accessReview, allowed: true } })),
    'another access was reviewed': () => alter('api.audit', first((event) => issuerReview(event) && event.accessReview?.resource === 'pods'), (body) => ({ ...body, accessReview: body.accessReview && { ...body.accessReview, resource: 'nodes' } })),
    'a token was asked for to live an hour': () => alter('api.audit', first(tokenRequest(JOB_ISSUER)), (body) => ({ ...body, tokenRequest: { expirationSeconds: 3600, audiences: [], boundPodUid: null } })),
    'a token was asked for somebody else': () => alter('api.audit', first(tokenRequest(HOST_ISSUER)), (body) => ({ ...body, tokenRequest: { expirationSeconds: 600, audiences: ['elsewhere'], boundPodUid: null } })),
    'what a token was asked for was not logged': () => alter('api.audit', first(tokenRequest(HOST_ISSUER)), ({ tokenRequest: _asked, ...body }) => body),
    'the issuer read a Secret': () => insertAfter('api.audit', tokenRequest(HOST_ISSUER), (body) => ({ ...body, verb: 'get', resource: 'secrets', subresource: null, name: 'x', code: 200 })),
    'the forbidden request was answered': () => alter('api.audit', (event) => event.impersonatedUser === HOST_ISSUER && event.code === 403, (body) => ({ ...body, code: 200 })),
    'nothing forbidden was tried': () => drop('probe.result', ({ probe }) => probe === 'issuer-forbidden-verb'),
  },
  tokenRequestSessionDisposed: {
    'the token was used after its session': () => insertAfter('api.audit', replaceOf('deployments', 4), (body) => ({ ...body, verb: 'get', receivedAt: new Date((sessionTimes[3]?.endedMs ?? 0) + 500).toISOString() })),
    'the end of a session is not known': () => drop('action.token-session', ({ generation }) => generation === 2),
    'a client was not disposed': () => alter('action.token-session', ({ generation }) => generation === 1, (body) => ({ ...body, clientDisposed: false })),
    'the disposed client answered': () => alter('probe.result', ({ probe }) => probe === 'disposed-client', (body) => ({ ...body, facts: { ...body.facts, threw: false } })),
    'one token served two sessions': () => alter('api.audit', (event) => event.user === DELIVERY, (body) => ({ ...body, credentialId: body.code === 403 ? null : 'JTI=one' })),
  },
  restrictedCredentialDeliveryRbac: {
    'a review is missing': () => drop('api.audit', first(deliveryReview)),
    'a denied access was allowed': () => alter('api.audit', first((event) => deliveryReview(event) && event.accessReview?.allowed === false), (body) => ({ ...body, accessReview: body.accessReview && { ...body.accessReview, allowed: true } })),
    'the delivery read the identity Secret': () => alter('api.audit', (event) => event.user === DELIVERY && event.code === 403, (body) => ({ ...body, code: 200 })),
    'the delivery patched the Deployment': () => alter('api.audit', replaceOf('deployments', 1), (body) => ({ ...body, verb: 'patch' })),
    'nothing forbidden was tried': () => drop('probe.result', ({ probe }) => probe === 'delivery-forbidden-verb'),
  },
  realCallerDrivenExecutorJob: {
    'there was no Job': () => drop('api.watched', ({ object }) => isJob(NAMES.executorJob)(object)),
    'the Job may retry': () => alterObject(isJob(NAMES.executorJob), ['spec', 'backoffLimit'], 6),
    'the Job is not labelled': () => alterObject(isJob(NAMES.executorReplayJob), ['metadata', 'labels'], {}),
    'the Pod ran another image': () => alterObject(isPodOfJob(NAMES.executorJob), ['status', 'containerStatuses'], [{ imageID: `sha256:${'0'.repeat(64)}`, state: { terminated: { exitCode: 0, finishedAt: '2026-01-15T10:00:10Z' } } }]),
    'the container failed': () => alterObject((object) => isPodOfJob(NAMES.executorReplayJob)(object) && JSON.stringify(object).includes('terminated'), ['status', 'containerStatuses', 0, 'state', 'terminated', 'exitCode'], 1),
    'the Job printed nothing': () => drop('process.line', ({ line: printedLine }) => printedLine['event'] === 'execution_completed'),
    'the Job printed another dispatch': () => alter('process.line', ({ line: printedLine }) => printedLine['event'] === 'execution_completed', line({ dispatchId: 'dispatch-other' })),
    'the image was never built': () => drop('image.built', ({ component }) => component === 'admin'),
  },
  executorJobExactReplayWithoutTokenRequest: {
    'the replay requested a token': () => alter('process.line', ({ line: printedLine }) => printedLine['executionStatus'] === 'existing', line({ tokenRequestUsed: true })),
    'there was no replay': () => drop('process.line', ({ line: printedLine }) => printedLine['executionStatus'] === 'existing'),
    'the replay touched the API': () => (observations) => {
      const replay = observations.find((each) => each.kind === 'api.watched' && isPodOfJob(NAMES.executorReplayJob)(each.body.object));
      const at = new Date(Date.parse(replay?.at ?? '') + 300).toISOString();
      return insertAfter('api.audit', tokenRequest(JOB_ISSUER), (body) => ({ ...body, verb: 'get', resource: 'secrets', subresource: null, receivedAt: at }))(observations);
    },
    'the replay was of another action': () => alter('process.line', ({ line: printedLine }) => printedLine['executionStatus'] === 'existing', line({ actionRef: 'live/other' })),
  },
  executorJobUsesProjectedShortLivedIssuerToken: {
    'an old API server logged no token of the node': () => (log) =>
      drop('api.audit', ({ user, subresource }) => subresource === 'token' && user.startsWith('system:node:'))(
        alter('api.audit', ({ subresource }) => subresource === 'token', ({ tokenRequest: _asked, ...body }) => body)(alter('platform.node', () => true, (body) => ({ ...body, kubeletVersion: 'v1.20.2' }))(alter('platform.version', () => true, (body) => ({ ...body, gitVersion: 'v1.20.2' }))(log))),
      ),
    'its token is bound to a Pod of another name': () => alter('api.audit', tokenRequest(JOB_ISSUER), (body) => ({ ...body, podUid: 'a-pod', podName: 'another' })),
    'the token lives for an hour': () => alterObject(isPodOfJob(NAMES.executorJob), ['spec', 'volumes', 0, 'projected', 'sources', 0, 'serviceAccountToken', 'expirationSeconds'], 3600),
    'the node asked for a token of an hour': () => alter('api.audit', (event) => event.name === NAMES.executorServiceAccount && event.subresource === 'token', (body) => ({ ...body, tokenRequest: { expirationSeconds: 3600, audiences: [], boundPodUid: body.tokenRequest?.boundPodUid ?? null } })),
    'nobody asked for a token of the replaying Pod': () => alter('api.audit', (event) => event.name === NAMES.executorServiceAccount && event.subresource === 'token', (body) => ({ ...body, tokenRequest: { expirationSeconds: 600, audiences: [], boundPodUid: 'another' } })),
    'somebody else asked for its token': () => alter('api.audit', (event) => event.name === NAMES.executorServiceAccount && event.subresource === 'token', (body) => ({ ...body, user: 'system:admin' })),
    'another token is mounted': () => alterObject(isPodOfJob(NAMES.executorJob), ['spec', 'automountServiceAccountToken'], true),
    'the Pod runs as somebody else': () => alterObject(isPodOfJob(NAMES.executorReplayJob), ['spec', 'serviceAccountName'], 'default'),
    'the token is bound to another Pod': () => alter('api.audit', tokenRequest(JOB_ISSUER), (body) => ({ ...body, podUid: 'another' })),
    'the request was made before the Pod lived': () => alter('api.audit', tokenRequest(JOB_ISSUER), (body) => ({ ...body, receivedAt: '2026-01-15T10:00:00.500000Z' })),
  },
  executorJobExactNetworkEgress: {
    'there is no policy': () => drop('api.object', ({ object }) => object.kind === 'NetworkPolicy'),
    'the policy is wider': () => alter('api.object', ({ object }) => object.kind === 'NetworkPolicy', (body) => ({ object: setIn(body.object, ['spec', 'egress', 0, 'to', 0, 'ipBlock', 'cidr'], '0.0.0.0/0') })),
    'the policy has a rule more': () => alter('api.object', ({ object }) => object.kind === 'NetworkPolicy', (body) => ({ object: setIn(body.object, ['spec', 'egress', 3], {}) })),
    'the policy governs other Pods': () => alter('api.object', ({ object }) => object.kind === 'NetworkPolicy', (body) => ({ object: setIn(body.object, ['spec', 'podSelector', 'matchLabels'], { app: 'other' }) })),
    'a second policy adds to it': () => insertAfter('api.object', ({ object }) => object.kind === 'NetworkPolicy', (body) => ({ object: setIn(body.object, ['metadata', 'name'], 'second') })),
    'the policy was changed and put back': () => insertAfter('api.audit', tokenRequest(HOST_ISSUER), (body) => ({ ...body, auditId: 'another', verb: 'update', user: 'system:admin', impersonatedUser: null, apiGroup: 'networking.k8s.io', resource: 'networkpolicies', subresource: null, namespace: NAMES.executorNamespace, name: 'ql3-worker-credential-executor', code: 200 })),
    'the outside was reached': () => alter('probe.result', ({ probe }) => probe === 'egress-outside', (body) => ({ ...body, facts: { ...body.facts, reached: true } })),
    'the inside was not reached': () => alter('process.line', ({ line: printedLine }) => printedLine['event'] === 'egress_probed', line({ inside: { host: '172.20.0.3', port: 5432, outcome: 'ECONNREFUSED' } })),
    'nothing listened outside': () => alterObject(isControlPod, ['status', 'podIP'], '10.42.0.99'),
  },
  productionWorkerImageInKubernetes: {
    'a Pod ran another image': () => alterObject((object) => isPod(products[2])(object) && JSON.stringify(object).includes('imageID'), ['status', 'containerStatuses', 0, 'imageID'], `sha256:${'0'.repeat(64)}`),
    'a Pod ran on a node of another cluster': () => alter('platform.node', () => true, (body) => ({ ...body, name: 'another' })),
    'the Pods are tagged with another run': () => alter('run.started', () => true, (body) => ({ ...body, runId: 'c0ffee00-0000-4000-8000-000000000000' })),
    'the image is of another revision': () => alter('image.built', ({ component }) => component === 'worker', (body) => ({ ...body, sourceRevision: '0'.repeat(40) })),
    'the image is of another tree': () => alter('image.built', ({ component }) => component === 'control', (body) => ({ ...body, treeDigest: 'other' })),
    'the node has another image': () => alter('image.on-node', ({ component }) => component === 'worker', (body) => ({ ...body, imageId: `sha256:${'0'.repeat(64)}` })),
    'the image was never built': () => drop('image.built', ({ component }) => component === 'worker'),
  },
  productionWorkerIngressComposition: {
    'Control was never ready': () => alterObject((object) => isControlPod(object), ['status', 'conditions'], []),
    'Control had another database role': () => alter('ingress.line', logged('listening'), line({ databaseUser: 'postgres' })),
    'a handshake was TLS 1.2': () => alter('ingress.line', first(logged('tls_handshake')), line({ protocol: 'TLSv1.2' })),
    'a request came over TLS 1.2': () => alter('ingress.line', logged('worker_request', { sessionId: sessionIds[0] }), line({ tlsProtocol: 'TLSv1.2' })),
    'a handshake without a certificate went through': () => drop('ingress.line', first(logged('tls_handshake_refused'))),
    'a Worker that nobody knows has a session': () => moreStates((row) => row['session_id'] === sessionIds[2] && row['reason'] === 'registered', { worker_id: 'ql3-worker-stranger' }),
    'the probe’s Worker has a session more': () => moreStates((row) => row['worker_id'] === PROBE_NAMES.workerId && row['reason'] === 'registered', { session_id: STRANGER, version: 90, generation: 9 }),
    'a session of the probe’s Worker went on beyond what was asked for': () => moreStates((row) => row['worker_id'] === PROBE_NAMES.workerId, { reason: 'heartbeat', version: 90 }),
    'the ingress saw nothing of the probe’s Worker but a refusal': () => alter('ingress.line', logged('worker_request', { workerId: PROBE_NAMES.workerId }), line({ status: 409 })),
  },
  productionSessionReplacement: {
    'a session has no heartbeat of its own': () => dropRow('worker_session_history', ofSession(1, 'heartbeat')),
    'the ingress saw no heartbeat of a session': () => drop('ingress.line', logged('worker_request', { sessionId: sessionIds[2], operation: 'heartbeat' })),
    'a heartbeat belongs to another session': () => alter('ingress.line', logged('worker_request', { sessionId: sessionIds[1], operation: 'heartbeat' }), line({ sessionId: sessionIds[0] })),
    'a session was online beside its predecessor': () => alterRow('worker_session_history', ofSession(1, 'registered'), { recorded_at_ms: 1 }),
    'a row is later than the request that made it': () => alterRow('worker_session_history', ofSession(2, 'heartbeat'), { recorded_at_ms: 1_900_000_000_000 }),
    'a generation was left out': () => alterRow('worker_session_history', ofSession(2, 'registered'), { generation: 4 }),
    'a session registered out of nowhere': () => alterRow('worker_session_history', ofSession(2, 'registered'), { replaced_session_id: null }),
    'a Pod had no session': () => drop('process.line', printed(products[0], 'registered')),
    'there was a fourth session': () => alterRow('worker_session_history', ofSession(0, 'heartbeat'), { session_id: '01900000-0000-7000-8000-ffffffffffff' }),
  },
  productionStartupReconciliation: {
    'a Pod did not reconcile': () => drop('process.line', printed(products[1], 'reconciled')),
    'a Pod registered first': () => alter('process.line', printed(products[0], 'reconciled'), (body) => ({ ...body, index: 9 })),
    'a Pod found nothing': () => alter('process.line', printed(products[2], 'reconciled'), line({ sessionsFound: 0, sessionsOffline: 0, recordsFound: 0 })),
    'a Pod found no record of phase A': () => alter('process.line', printed(products[0], 'reconciled'), line({ rolloutRecordsFound: 0 })),
  },
  productionGracefulDrainToOffline: {
    'the Worker is still online': () => alterRow('worker_sessions', (row) => row['worker_id'] === NAMES.workerId, { status: 'online' }),
    'nothing says how the Worker’s session ended': () => drop('database.rows', ({ table }) => table === 'worker_sessions'),
    'a session did not drain': () => dropRow('worker_session_history', ofSession(0, 'draining')),
    'a session never went offline': () => dropRow('worker_session_history', ofSession(2, 'offline')),
    'the Worker did not say stopped': () => drop('process.line', printed(products[1], 'stopped')),
    'the Worker was killed': () => alterObject((object) => isPod(products[1])(object) && JSON.stringify(object).includes('terminated'), ['status', 'containerStatuses', 0, 'state', 'terminated', 'exitCode'], 137),
    'the deletion was never asked for': () => drop('api.audit', (event) => event.verb === 'delete' && event.name === productNames[2]),
    'the drain took too long': () => alter('api.audit', (event) => event.verb === 'delete' && event.name === productNames[1], (body) => ({ ...body, receivedAt: '2026-01-15T10:00:00.000000Z' })),
  },
};

describe('gates', () => {
  it('all hold of a whole run, each because of something', () => {
    const { gates, problems } = deriveReport(RUN);
    assert.deepEqual(problems, []);
    for (const name of GATE_NAMES) {
      assert.equal(gates[name].holds, true, name);
      assert.ok(gates[name].because.length > 0, name);
    }
  });

  it('hold of nothing', () => {
    for (const [name, gate] of Object.entries(deriveReport([]).gates)) assert.equal(gate.holds, false, name);
  });

  for (const [gate, lies] of Object.entries(LIES)) {
    describe(gate, () => {
      for (const [what, lie] of Object.entries(lies)) {
        it(`is false when ${what}`, () => {
          const { gates, report } = deriveReport(lie()(RUN));
          assert.equal(gates[gate as GateName].holds, false);
          assert.ok(gates[gate as GateName].unmet.length > 0);
          assert.equal(report.gates[gate as GateName], false);
          assert.equal(gates.passed.holds, false);
        });
      }

      it('is false without the observations that it names', () => {
        const { gates } = deriveReport(RUN);
        const because = new Set(gates[gate as GateName].because);
        assert.equal(deriveReport(renumber(RUN.filter(({ seq }) => !because.has(seq)))).gates[gate as GateName].holds, false);
      });
    });
  }

  it('know that a Pod that is deleted without grace is given up before it is removed, and that no other is', () => {
    const watched = (type: string, matches: (object: ObservedObject) => boolean) => (observation: Observation): boolean => observation.kind === 'api.watched' && observation.body.type === type && matches(observation.body.object);
    for (const [index, holds] of [[1, true], [0, false]] as const) {
      const lost = RUN.findIndex(watched('DELETED', isPod(actors[index])));
      const deleted = RUN[lost] as ObservationOf<'api.watched'>;
      const givenUp = { ...deleted, body: { type: 'MODIFIED', object: { ...deleted.body.object, metadata: { ...deleted.body.object.metadata, deletionTimestamp: '2026-01-15T10:00:00Z', deletionGracePeriodSeconds: 0 } } } } as Observation;
      const successor = RUN.findIndex(watched('ADDED', isPod(actors[index + 1])));
      const raced = renumber([...RUN.slice(0, lost), givenUp, ...RUN.slice(lost + 1, successor + 1), deleted, ...RUN.slice(successor + 1)].filter((observation) => !watched('MODIFIED', (object) => isPod(actors[index])(object) && /"phase":"(Succeeded|Failed)"/.test(JSON.stringify(object)))(observation)));
      const { holds: held, unmet } = deriveReport(raced).gates.recreateOrderingObserved;
      assert.equal(held, holds, `Pod ${actorNames[index]}: ${JSON.stringify(unmet)}`);
    }
  });

  it('know that a Pod of a Job cannot have lived before its Job was asked for, though its own times are whole seconds', () => {
    const replay = RUN.find((each): each is ObservationOf<'api.watched'> => each.kind === 'api.watched' && isPodOfJob(NAMES.executorReplayJob)(each.body.object));
    const createdMs = Date.parse(replay?.body.object.metadata.creationTimestamp ?? '');
    const at = (offsetMs: number): string => new Date(createdMs + offsetMs).toISOString();
    for (const [requestMs, holds] of [[300, true], [700, false]] as const) {
      const work = insertAfter('api.audit', tokenRequest(JOB_ISSUER), (body) => ({ ...body, verb: 'get', resource: 'secrets', subresource: null, receivedAt: at(requestMs) }));
      const creation = insertAfter('api.audit', tokenRequest(JOB_ISSUER), (body) => ({ ...body, user: 'system:admin', impersonatedUser: null, apiGroup: 'batch', resource: 'jobs', subresource: null, namespace: NAMES.executorNamespace, name: NAMES.executorReplayJob, receivedAt: at(600) }));
      const { unmet } = deriveReport(creation(work(RUN))).gates.executorJobExactReplayWithoutTokenRequest;
      assert.equal(!JSON.stringify(unmet).includes('while the replay Pod lived'), holds, JSON.stringify(unmet));
    }
  });

  it('know what the run is about', () => {
    assert.equal(actors.length, 5);
    assert.equal(new Set([...actorNames, ...productNames]).size, 8);
    assert.equal(new Set(deliveryIds).size, 4);
  });
});
