import { CONTRACT_NAMES as NAMES } from '../../../evidence/contract-names.ts';
import { by, DELIVERY, HOST_ISSUER, isPod, isProbe, isReviewBy, isTargetDeploymentReplace, isTargetSecretReplace, isTokenOfExecutorPod, isTokenRequest, JOB_ISSUER, productPods } from '../log-cast.ts';
import { alter, alterFirst, alterRows, copyFirst, drop, dropFirst, find, inTurn, moveBehind, setIn } from '../log-edit.ts';
import type { LogLie } from '../log-lie.ts';

const minutesLater = (instant: string, minutes: number): string => new Date(Date.parse(instant) + minutes * 60_000).toISOString().replace('Z', '000Z');
const ofContract = (row: Readonly<Record<string, unknown>>): boolean => row['authority_project_id'] === NAMES.projectId;

/** About approvals, tokens, and what was written under them. */
export const DELIVERY_LIES: readonly LogLie[] = [
  { name: 'replace-without-its-audit-event', pretends: 'the Secret was replaced; the API server never logged it', caughtBy: ['gates.secretAndDeploymentResourceVersionCas', 'rbac.adapterUsedRestrictedToken'], tell: ({ observations }) => ({ log: dropFirst('api.audit', isTargetSecretReplace)(observations) }) },
  { name: 'deployment-replace-without-its-audit-event', pretends: 'the Deployment was replaced; the API server never logged it', caughtBy: ['gates.secretAndDeploymentResourceVersionCas'], tell: ({ observations }) => ({ log: dropFirst('api.audit', isTargetDeploymentReplace)(observations) }) },
  { name: 'stale-resource-version', pretends: 'compare-and-swap; the replace carried another version than was read', caughtBy: ['gates.secretAndDeploymentResourceVersionCas'], tell: ({ observations }) => ({ log: alterFirst('api.audit', isTargetSecretReplace, (body) => ({ ...body, resourceVersion: '1' }))(observations) }) },
  { name: 'replace-answered-with-a-conflict', pretends: 'the replace was carried out; it was answered 409', caughtBy: ['gates.secretAndDeploymentResourceVersionCas'], tell: ({ observations }) => ({ log: alterFirst('api.audit', isTargetDeploymentReplace, (body) => ({ ...body, code: 409 }))(observations) }) },
  { name: 'write-by-the-administrator', pretends: 'the restricted identity wrote; the administrator did', caughtBy: ['rbac.adapterUsedRestrictedToken', 'gates.secretAndDeploymentResourceVersionCas'], tell: ({ observations }) => ({ log: alterFirst('api.audit', isTargetSecretReplace, (body) => ({ ...body, user: 'system:admin', credentialId: null }))(observations) }) },
  { name: 'deployment-written-by-the-administrator', pretends: 'the restricted identity wrote; the administrator did', caughtBy: ['rbac.adapterUsedRestrictedToken', 'gates.secretAndDeploymentResourceVersionCas'], tell: ({ observations }) => ({ log: alterFirst('api.audit', isTargetDeploymentReplace, (body) => ({ ...body, user: 'system:admin', credentialId: null }))(observations) }) },
  {
    name: 'second-writer-of-the-target',
    pretends: 'nobody else wrote the target Secret; a controller patched it',
    caughtBy: ['rbac.adapterUsedRestrictedToken'],
    tell: ({ observations }) => ({ log: copyFirst('api.audit', isTargetSecretReplace, (body) => ({ ...body, auditId: 'c0ffee00-0000-4000-8000-000000000001', verb: 'patch', user: 'system:admin', credentialId: null }))(observations) }),
  },
  { name: 'delivery-read-the-identity', pretends: 'the delivery identity cannot read the TLS identity; it was answered', caughtBy: ['gates.restrictedCredentialDeliveryRbac', 'credentialRollout.secretSeparatedFromTlsIdentity'], tell: ({ observations }) => ({ log: copyFirst('api.audit', isTargetSecretReplace, (body) => ({ ...body, auditId: 'c0ffee00-0000-4000-8000-000000000002', verb: 'get', name: NAMES.identitySecret }))(observations) }) },
  { name: 'issuer-listed-secrets', pretends: 'the issuer did nothing but ask for tokens; it listed Secrets', caughtBy: ['gates.leastPrivilegeTokenIssuerRbac', 'rbac.tokenIssuerExactServiceAccountBound'], tell: ({ observations }) => ({ log: copyFirst('api.audit', isTokenRequest(HOST_ISSUER), (body) => ({ ...body, auditId: 'c0ffee00-0000-4000-8000-000000000003', verb: 'list', resource: 'secrets', subresource: null, name: null }))(observations) }) },
  { name: 'token-of-another-account', pretends: 'a token of the delivery account; it was another account’s', caughtBy: ['gates.leastPrivilegeTokenIssuerRbac', 'gates.approvalConsumedBeforeTokenRequest'], tell: ({ observations }) => ({ log: alterFirst('api.audit', isTokenRequest(HOST_ISSUER), (body) => ({ ...body, name: 'default' }))(observations) }) },
  { name: 'fifth-token', pretends: 'four tokens; one more was requested', caughtBy: ['gates.approvalConsumedBeforeTokenRequest'], tell: ({ observations }) => ({ log: copyFirst('api.audit', isTokenRequest(HOST_ISSUER), (body) => ({ ...body, auditId: 'c0ffee00-0000-4000-8000-000000000004' }))(observations) }) },
  { name: 'token-before-approval', pretends: 'the approval was consumed first; the token request is older', caughtBy: ['gates.approvalConsumedBeforeTokenRequest', 'approvalExecution.tokenRequestAfterApprovalConsumption'], tell: ({ observations }) => ({ log: alterRows('approval_requests', (row) => ofContract(row) && String(row['action_ref']).endsWith('_2'), (row) => ({ ...row, consumed_at_ms: String(Number(row['consumed_at_ms']) + 60_000) }))(observations) }) },
  { name: 'execution-started-afterwards', pretends: 'the start barrier was passed before the token request', caughtBy: ['gates.approvalConsumedBeforeTokenRequest'], tell: ({ observations }) => ({ log: alterRows('approved_action_executions', (row) => row['state'] === 'succeeded', (row) => ({ ...row, started_at_ms: String(Number(row['started_at_ms']) + 60_000) }))(observations) }) },
  { name: 'review-answered-otherwise', pretends: 'what is denied was denied; one was allowed', caughtBy: ['gates.restrictedCredentialDeliveryRbac', 'rbac.allowedChecks'], tell: ({ observations }) => ({ log: alterFirst('api.audit', (event) => isReviewBy(DELIVERY)(event) && event.accessReview?.allowed === false, (body) => ({ ...body, accessReview: body.accessReview && { ...body.accessReview, allowed: true } }))(observations) }) },
  { name: 'issuer-review-never-asked', pretends: 'eight denied accesses were reviewed; the API server logged seven', caughtBy: ['gates.leastPrivilegeTokenIssuerRbac', 'rbac.issuerDeniedChecks'], tell: ({ observations }) => ({ log: dropFirst('api.audit', (event) => isReviewBy(JOB_ISSUER)(event) && event.accessReview?.allowed === false)(observations) }) },
  {
    name: 'call-after-the-session',
    pretends: 'nothing was done under the token once its session had ended; one request came later',
    caughtBy: ['gates.tokenRequestSessionDisposed', 'rbac.restrictedClientDisposedAfterEachOperation', 'rbac.tokenNeverReturnedBySession'],
    tell: ({ observations }) => {
      const { endedAt } = find(observations, 'action.token-session').body;
      const receivedAt = new Date(Date.parse(endedAt) + 50).toISOString().replace('Z', '000Z');
      return { log: copyFirst('api.audit', isTargetSecretReplace, (body) => ({ ...body, auditId: 'c0ffee00-0000-4000-8000-000000000005', verb: 'get', receivedAt, completedAt: receivedAt }))(observations) };
    },
  },
  { name: 'session-ended-later-than-told', pretends: 'a session that lasts an hour, so that every request lies inside; it was told when it was over', caughtBy: ['BUNDLE_INTEGRITY'], tell: ({ observations }) => ({ log: alterFirst('action.token-session', () => true, (body) => ({ ...body, endedAt: minutesLater(body.endedAt, 60).replace('000Z', 'Z') }))(observations) }) },
  { name: 'client-not-disposed', pretends: 'the client was disposed of; the product says that it was not', caughtBy: ['gates.tokenRequestSessionDisposed', 'rbac.restrictedClientDisposedAfterEachOperation'], tell: ({ observations }) => ({ log: alterFirst('action.token-session', () => true, (body) => ({ ...body, clientDisposed: false }))(observations) }) },
  { name: 'disposed-client-reached-the-server', pretends: 'the kept client threw; its request was answered', caughtBy: ['gates.tokenRequestSessionDisposed', 'probes.disposed-client'], tell: ({ observations }) => ({ log: alter('probe.result', isProbe('disposed-client'), (body) => ({ ...body, facts: { ...body.facts, threw: false } }))(observations) }) },
  { name: 'session-offers-its-token', pretends: 'nothing can be had from a session; it has a member that gives the token', caughtBy: ['rbac.tokenNeverReturnedBySession'], tell: ({ observations }) => ({ log: alter('probe.result', isProbe('disposed-client'), (body) => ({ ...body, facts: { ...body.facts, sessionMembers: ['bearerToken', 'withDelivery'] } }))(observations) }) },
  { name: 'long-lived-token', pretends: 'tokens of ten minutes; they live for a day', caughtBy: ['rbac.shortLivedTokenRequestSeconds'], tell: ({ observations }) => ({ log: alter('action.token-session', () => true, (body) => ({ ...body, tokenLifetimeSeconds: 86_400 }))(observations) }) },
  {
    name: 'lifetime-told-shorter-than-asked',
    pretends: 'tokens of ten minutes, as the product tells; the API server wrote down that an hour was asked for',
    caughtBy: ['rbac.shortLivedTokenRequestSeconds', 'gates.leastPrivilegeTokenIssuerRbac'],
    tell: ({ observations }) => ({ log: alter('api.audit', isTokenRequest(HOST_ISSUER), (body) => ({ ...body, tokenRequest: { audiences: [], boundPodUid: null, expirationSeconds: 3600 } }))(observations) }),
  },
  {
    name: 'lifetime-in-the-told-half-alone',
    pretends: 'the API server wrote down how long each token was to live; of one it is missing',
    caughtBy: ['rbac.shortLivedTokenRequestSeconds', 'gates.leastPrivilegeTokenIssuerRbac'],
    tell: ({ observations }) => ({ log: alterFirst('api.audit', isTokenRequest(HOST_ISSUER), ({ tokenRequest: _asked, ...body }) => body)(observations) }),
  },
  {
    name: 'token-for-another-audience',
    pretends: 'a token for the API server; it was asked for somebody else',
    caughtBy: ['gates.leastPrivilegeTokenIssuerRbac'],
    tell: ({ observations }) => ({ log: alterFirst('api.audit', isTokenRequest(JOB_ISSUER), (body) => ({ ...body, tokenRequest: { expirationSeconds: 600, boundPodUid: null, audiences: ['https://elsewhere.example'] } }))(observations) }),
  },
  {
    name: 'node-asked-for-a-longer-token',
    pretends: 'the executor’s projected token lives for 600 s, as its Pod says; the node asked for an hour',
    caughtBy: ['gates.executorJobUsesProjectedShortLivedIssuerToken', 'callerDrivenExecutorJob.projectedIssuerTokenSeconds'],
    tell: ({ observations }) => ({ log: alter('api.audit', isTokenOfExecutorPod, (body) => ({ ...body, tokenRequest: { audiences: [], boundPodUid: body.tokenRequest?.boundPodUid ?? null, expirationSeconds: 3607 } }))(observations) }),
  },
  {
    name: 'executor-token-not-from-its-node',
    pretends: 'the node gave the executor its token; somebody else had one made for it',
    caughtBy: ['gates.executorJobUsesProjectedShortLivedIssuerToken'],
    tell: ({ observations }) => ({ log: alterFirst('api.audit', isTokenOfExecutorPod, (body) => ({ ...body, user: 'system:admin' }))(observations) }),
  },
  { name: 'staged-beside-the-worker', pretends: 'stages lie in a namespace of their own; one lay in the Worker’s', caughtBy: ['rbac.separateStageNamespace'], tell: ({ observations }) => ({ log: alterFirst('api.audit', (event) => by(DELIVERY, event) && event.verb === 'create' && event.resource === 'secrets', (body) => ({ ...body, namespace: NAMES.workerNamespace }))(observations) }) },
  { name: 'account-with-automount', pretends: 'the delivery account mounts no token; it does', caughtBy: ['rbac.serviceAccountAutomount'], tell: ({ observations }) => ({ log: alter('api.object', ({ object }) => object.kind === 'ServiceAccount' && object.metadata.name === NAMES.deliveryServiceAccount, (body) => ({ object: { ...body.object, automountServiceAccountToken: true } }))(observations) }) },
  { name: 'recheck-left-out', pretends: 'authorization was confirmed twice; the second time is missing', caughtBy: ['approvalExecution.hostAuthorizationRechecks', 'approvalExecution.executionReplayWithoutTokenRequest'], tell: ({ observations }) => ({ log: dropFirst('action.authorization-confirmed', ({ purpose }) => purpose === 'before_authority')(observations) }) },
  { name: 'recheck-invented', pretends: 'nine rechecks; one of them was written twice', caughtBy: ['approvalExecution.hostAuthorizationRechecks', 'approvalExecution.executionReplayWithoutTokenRequest'], tell: ({ observations }) => ({ log: copyFirst('action.authorization-confirmed', ({ purpose }) => purpose === 'before_authority')(observations) }) },
  { name: 'recheck-after-the-fact', pretends: 'authorization was confirmed before authority was used; it was asked when all was done', caughtBy: ['approvalExecution.executionReplayWithoutTokenRequest'], tell: ({ observations }) => ({ log: moveBehind('action.authorization-confirmed', ({ purpose }) => purpose === 'before_authority', (log) => find(log, 'action.token-session'))(observations) }) },
  { name: 'replay-used-a-token', pretends: 'the replay needed no authority; it says that it used a token', caughtBy: ['approvalExecution.executionReplayWithoutTokenRequest'], tell: ({ observations }) => ({ log: alterFirst('action.completed', ({ replay }) => replay, (body) => ({ ...body, output: { ...body.output, tokenRequestUsed: true } }))(observations) }) },
  { name: 'replay-never-made', pretends: 'each host action was replayed; one was not', caughtBy: ['approvalExecution.executionReplayWithoutTokenRequest', 'approvalExecution.hostAuthorizationRechecks'], tell: ({ observations }) => ({ log: inTurn(dropFirst('action.completed', ({ replay }) => replay), dropFirst('action.authorization-confirmed', ({ replay }) => replay))(observations) }) },
  { name: 'token-in-a-plan', pretends: 'plans hold no secret; one holds a token', caughtBy: ['approvalExecution.tokenOrSecretPersistedInPlan'], tell: ({ observations }) => ({ log: alterRows('worker_credential_management_plans', ofContract, (row) => ({ ...row, action_ref_note: `ql3w_live_generation_1_${'A'.repeat(43)}` }))(observations) }) },
  { name: 'decided-by-the-requester', pretends: 'two users; one asked and decided', caughtBy: ['gates.strongUserPlanApprovalAndDispatchPersisted'], tell: ({ observations }) => ({ log: alterRows('approval_requests', ofContract, (row) => ({ ...row, decided_by_id: row['requested_by_id'] ?? null }))(observations) }) },
  { name: 'decided-with-a-password', pretends: 'a strong user decided; a password was enough', caughtBy: ['gates.strongUserPlanApprovalAndDispatchPersisted'], tell: ({ observations }) => ({ log: alterRows('approval_requests', ofContract, (row) => ({ ...row, decided_assurance: 'password' }))(observations) }) },
  { name: 'result-of-another-execution', pretends: 'the execution’s own result; it carries another digest', caughtBy: ['gates.strongUserPlanApprovalAndDispatchPersisted'], tell: ({ observations }) => ({ log: alterRows('approved_action_executions', (row) => row['state'] === 'succeeded', (row) => ({ ...row, result_digest: 'd'.repeat(64) }))(observations) }) },
  { name: 'self-approval-went-through', pretends: 'the own request stayed pending; it was decided', caughtBy: ['gates.strongUserPlanApprovalAndDispatchPersisted', 'probes.self-approval'], tell: ({ observations }) => ({ log: alterRows('approval_requests', (row) => row['request_id'] === find(observations, 'probe.result', isProbe('self-approval')).body.facts['approvalRequestId'], (row) => ({ ...row, state: 'approved', decided_by_id: NAMES.requester }))(observations) }) },
  {
    name: 'rows-of-another-run',
    pretends: 'the database of this run; its rows are of an earlier one',
    caughtBy: ['gates.secretAndDeploymentResourceVersionCas', 'gates.approvalConsumedBeforeTokenRequest', 'gates.productionSessionReplacement'],
    tell: ({ observations, another }) => ({ log: alter('database.rows', () => true, (body) => ({ ...body, rows: find(another, 'database.rows', ({ table }) => table === body.table).body.rows }))(observations) }),
  },
  { name: 'one-role-for-all', pretends: 'manager and executor are two roles; both are one', caughtBy: ['gates.managerExecutorDatabaseRolesSeparated', 'postgresql.managerRole'], tell: ({ observations }) => ({ log: alter('database.current-user', ({ connection }) => connection === 'manager', (body) => ({ ...body, currentUser: 'ql3_worker_credential_executor', sessionUser: 'ql3_worker_credential_executor' }))(observations) }) },
  { name: 'role-taken-by-set-role', pretends: 'a login of its own; the administrator had become it', caughtBy: ['gates.managerExecutorDatabaseRolesSeparated'], tell: ({ observations }) => ({ log: alter('database.current-user', ({ connection }) => connection === 'executor', (body) => ({ ...body, sessionUser: 'postgres' }))(observations) }) },
  { name: 'forbidden-statement-carried-out', pretends: 'the statement was refused; it was carried out', caughtBy: ['gates.managerExecutorDatabaseRolesSeparated', 'probes.database-forbidden-statement'], tell: ({ observations }) => ({ log: alterFirst('probe.result', isProbe('database-forbidden-statement'), (body) => ({ ...body, facts: { ...body.facts, sqlState: '00000' } }))(observations) }) },
  { name: 'stages-left-in-the-watch', pretends: 'stage Secrets came and went; the watch never showed one', caughtBy: ['rbac.separateStageNamespace', 'rbac.adapterUsedRestrictedToken'], tell: ({ observations }) => ({ log: drop('api.watched', ({ object }) => object.kind === 'Secret' && object.metadata.namespace === NAMES.stageNamespace)(observations) }) },
  { name: 'secret-with-more-than-the-token', pretends: 'the credential Secret holds the token alone; a key lies beside it', caughtBy: ['credentialRollout.secretSeparatedFromTlsIdentity'], tell: ({ observations }) => ({ log: alter('api.watched', ({ object }) => object.kind === 'Secret' && object.metadata.name === NAMES.targetSecret, ({ type, object }) => ({ type, object: { ...object, dataKeys: ['credential-token', 'tls.key'] } }))(observations) }) },
  { name: 'worker-gets-the-token-by-environment', pretends: 'the Worker reads a file; the token is in its environment', caughtBy: ['productionWorker.credentialSecretsAbsent'], tell: ({ observations }) => ({ log: alter('api.watched', isPod(productPods(observations)[0]), ({ type, object }) => ({ type, object: setIn(object, ['spec', 'containers', 0, 'env'], [{ name: 'TOKEN', valueFrom: { secretKeyRef: { name: NAMES.targetSecret, key: 'credential-token' } } }]) }))(observations) }) },
  { name: 'worker-has-an-account-token', pretends: 'the Worker has no token of the API server; it mounts one', caughtBy: ['rbac.workerPodServiceAccountTokenProjected', 'productionWorker.serviceAccountTokenMounted'], tell: ({ observations }) => ({ log: alter('api.watched', isPod(productPods(observations)[0]), ({ type, object }) => ({ type, object: setIn(object, ['spec', 'containers', 0, 'volumeMounts', 0, 'mountPath'], '/var/run/secrets/kubernetes.io/serviceaccount') }))(observations) }) },
  { name: 'conflict-that-nobody-answered', pretends: 'a rival made the API server answer 409; it never did', caughtBy: ['gates.secretAndDeploymentResourceVersionCas', 'probes.competing-writer-secret'], tell: ({ observations }) => ({ log: drop('api.audit', ({ code, resource }) => code === 409 && resource === 'secrets')(observations) }) },
  { name: 'token-of-one-run-in-another', pretends: 'the token request of this run; it is another run’s', caughtBy: ['DERIVATION', 'gates.tokenRequestSessionDisposed'], tell: ({ observations, another }) => ({ log: alterFirst('api.audit', isTokenRequest(HOST_ISSUER), () => find(another, 'api.audit', isTokenRequest(HOST_ISSUER)).body)(observations) }) },
];
