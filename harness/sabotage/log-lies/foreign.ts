import { CONTRACT_NAMES as NAMES } from '../../../evidence/contract-names.ts';
import type { ObservationBodies } from '../../../evidence/observation.ts';
import { by, DELIVERY, HOST_ISSUER, isReviewBy, isTargetSecretReplace, isTokenRequest, JOB_ISSUER } from '../log-cast.ts';
import { alter, alterFirst, copyFirst, drop } from '../log-edit.ts';
import type { LogLie } from '../log-lie.ts';

type Audit = ObservationBodies['api.audit'];

const STRANGER: Partial<Audit> = { user: 'system:serviceaccount:default:stranger', impersonatedUser: null, credentialId: null };
const isReviewOfRecovery = isReviewBy(NAMES.recoveryUser);

/** One more request in the API server's log, beside one that the run has. */
const oneMore = (number: number, request: Partial<Audit>): LogLie['tell'] => ({ observations }) => ({
  log: copyFirst('api.audit', isTargetSecretReplace, (body) => ({ ...body, auditId: `c0ffee00-0000-4000-8000-00000000010${number}`, ...STRANGER, ...request }))(observations),
});

/** About requests that nobody of the contract has to make. */
export const FOREIGN_LIES: readonly LogLie[] = [
  {
    name: 'administrator-in-the-name-of-the-delivery',
    pretends: 'the delivery wrote under its token; the administrator did in its name',
    caughtBy: ['gates.restrictedCredentialDeliveryRbac', 'gates.leastPrivilegeTokenIssuerRbac', 'gates.secretAndDeploymentResourceVersionCas', 'rbac.adapterUsedRestrictedToken'],
    tell: ({ observations }) => ({ log: alter('api.audit', (event) => by(DELIVERY, event) && event.verb === 'update', (body) => ({ ...body, user: 'system:admin', impersonatedUser: DELIVERY, credentialId: null }))(observations) }),
  },
  {
    name: 'administrator-in-the-name-of-the-executor',
    pretends: 'the executor’s Pod asked for its token; the administrator did in its name',
    caughtBy: ['gates.executorJobUsesProjectedShortLivedIssuerToken', 'gates.approvalConsumedBeforeTokenRequest'],
    tell: ({ observations }) => ({ log: alter('api.audit', (event) => by(JOB_ISSUER, event), (body) => ({ ...body, user: 'system:admin', impersonatedUser: JOB_ISSUER, podUid: null, podName: null }))(observations) }),
  },
  {
    name: 'anybody-in-the-name-of-an-issuer',
    pretends: 'the administrator acts for the users who ask for tokens; whoever is not signed in does',
    caughtBy: ['gates.restrictedCredentialDeliveryRbac', 'gates.leastPrivilegeTokenIssuerRbac'],
    tell: ({ observations }) => ({ log: alter('api.audit', ({ impersonatedUser }) => impersonatedUser !== null, (body) => ({ ...body, user: 'system:anonymous' }))(observations) }),
  },
  {
    name: 'token-for-a-stranger',
    pretends: 'the issuers alone got tokens of the delivery; a stranger got one first',
    caughtBy: ['gates.approvalConsumedBeforeTokenRequest'],
    tell: ({ observations }) => ({ log: copyFirst('api.audit', isTokenRequest(HOST_ISSUER), (body) => ({ ...body, auditId: 'c0ffee00-0000-4000-8000-000000000111', ...STRANGER }))(observations) }),
  },
  {
    name: 'token-for-the-administrator',
    pretends: 'the administrator got a token of the delivery for one forbidden attempt; it got another before',
    caughtBy: ['gates.approvalConsumedBeforeTokenRequest'],
    tell: ({ observations }) => ({ log: copyFirst('api.audit', isTokenRequest(HOST_ISSUER), (body) => ({ ...body, auditId: 'c0ffee00-0000-4000-8000-000000000112', impersonatedUser: null }))(observations) }),
  },
  {
    name: 'executor-token-for-a-stranger',
    pretends: 'the node alone got tokens of the executor; a stranger got one',
    caughtBy: ['gates.executorJobUsesProjectedShortLivedIssuerToken'],
    tell: oneMore(1, { verb: 'create', resource: 'serviceaccounts', subresource: 'token', namespace: NAMES.executorNamespace, name: NAMES.executorServiceAccount, resourceVersion: null }),
  },
  { name: 'deployment-patched-by-a-stranger', pretends: 'delivery and administrator wrote the Deployment; a stranger patched it', caughtBy: ['gates.restrictedCredentialDeliveryRbac'], tell: oneMore(2, { verb: 'patch', apiGroup: 'apps', resource: 'deployments', name: NAMES.deployment }) },
  { name: 'identity-written-by-a-stranger', pretends: 'the administrator wrote the TLS identity; a stranger did', caughtBy: ['gates.restrictedCredentialDeliveryRbac'], tell: oneMore(3, { name: NAMES.identitySecret }) },
  { name: 'identity-read-by-a-stranger', pretends: 'node and administrator read the TLS identity; another account did', caughtBy: ['gates.restrictedCredentialDeliveryRbac'], tell: oneMore(4, { verb: 'get', name: NAMES.identitySecret }) },
  { name: 'stage-watched-by-a-stranger', pretends: 'the delivery alone saw what is staged; another account watched it', caughtBy: ['gates.restrictedCredentialDeliveryRbac'], tell: oneMore(5, { verb: 'watch', stage: 'ResponseStarted', namespace: NAMES.stageNamespace, name: null }) },
  { name: 'binding-by-a-stranger', pretends: 'rights as the administrator made them; a stranger bound more', caughtBy: ['gates.restrictedCredentialDeliveryRbac', 'gates.leastPrivilegeTokenIssuerRbac'], tell: oneMore(6, { verb: 'create', apiGroup: 'rbac.authorization.k8s.io', resource: 'rolebindings', name: 'more' }) },
  { name: 'role-widened', pretends: 'rights as they were made; the administrator changed a Role', caughtBy: ['gates.restrictedCredentialDeliveryRbac', 'gates.leastPrivilegeTokenIssuerRbac'], tell: oneMore(7, { verb: 'update', user: 'system:admin', apiGroup: 'rbac.authorization.k8s.io', resource: 'roles', name: 'any' }) },
  { name: 'command-in-a-worker', pretends: 'nobody went into a Worker; the administrator ran a command in one', caughtBy: ['gates.restrictedCredentialDeliveryRbac'], tell: oneMore(8, { verb: 'get', user: 'system:admin', resource: 'pods', subresource: 'exec', name: `${NAMES.deployment}-abcde`, code: 101 }) },
  { name: 'command-in-the-executor', pretends: 'nobody went into the executor; the administrator ran a command in it', caughtBy: ['gates.executorJobUsesProjectedShortLivedIssuerToken'], tell: oneMore(9, { verb: 'get', user: 'system:admin', resource: 'pods', subresource: 'exec', namespace: NAMES.executorNamespace, name: `${NAMES.executorJob}-abcde`, code: 101 }) },
  { name: 'claim-deleted', pretends: 'one claim through it all; it was deleted, and no watch told', caughtBy: ['gates.pvcJournalSurvivedRolloutAndForcedPodLoss'], tell: oneMore(0, { verb: 'delete', resource: 'persistentvolumeclaims', name: NAMES.claim }) },
  { name: 'review-answered-with-an-error', pretends: 'each access was answered; one with an error', caughtBy: ['gates.restrictedCredentialDeliveryRbac'], tell: ({ observations }) => ({ log: alterFirst('api.audit', isReviewBy(DELIVERY), (body) => ({ ...body, code: 500 }))(observations) }) },
  { name: 'recovery-without-reviews', pretends: 'recovery asks what it may do, as a delivery does; it did not', caughtBy: ['gates.leastPrivilegeTokenIssuerRbac'], tell: ({ observations }) => ({ log: drop('api.audit', isReviewOfRecovery)(observations) }) },
  {
    name: 'older-server-than-its-log',
    pretends: 'an API server too old to write down what a TokenRequest asks for; it did for all but one',
    caughtBy: ['gates.leastPrivilegeTokenIssuerRbac'],
    tell: ({ observations }) => ({
      log: alterFirst('api.audit', isTokenRequest(HOST_ISSUER), ({ tokenRequest: _asked, ...body }) => body)(
        alter('platform.node', () => true, (body) => ({ ...body, kubeletVersion: 'v1.33.0' }))(alter('platform.version', () => true, (body) => ({ ...body, gitVersion: 'v1.33.0' }))(observations)),
      ),
    }),
  },
];
