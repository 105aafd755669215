import { STAGE_SECRET_PREFIX } from '../../../evidence/annotations.ts';
import { CONTRACT_NAMES as NAMES, PROBE_NAMES } from '../../../evidence/contract-names.ts';
import { PROBE_DELIVERY } from '../../../evidence/identities.ts';
import type { Observation, ObservationBodies } from '../../../evidence/observation.ts';
import { by, isProbe, isReviewBy } from '../log-cast.ts';
import { alter, alterFirst, drop, find, inTurn, type Edit } from '../log-edit.ts';
import type { LogLie } from '../log-lie.ts';

type Audit = ObservationBodies['api.audit'];
type Who = Pick<Audit, 'user' | 'impersonatedUser' | 'credentialId'>;

const ADMINISTRATOR: Who = { user: 'system:admin', impersonatedUser: null, credentialId: null };
const DEPLOYMENT_CONTROLLER: Who = { ...ADMINISTRATOR, user: 'system:serviceaccount:kube-system:deployment-controller' };
const as = (who: Who) => (event: Audit): Audit => ({ ...event, ...who });
const isStaged = (namespace: string, verb: string) => (event: Audit): boolean => event.verb === verb && event.namespace === namespace && event.name?.startsWith(STAGE_SECRET_PREFIX) === true;
const isUpdateByProbe = (resource: string) => (event: Audit): boolean => by(PROBE_DELIVERY, event) && event.verb === 'update' && event.resource === resource && event.code === 200;
const isSpecifiedByAdministrator = (event: Audit): boolean => event.user === 'system:admin' && event.impersonatedUser === null && event.verb === 'update' && event.resource === 'deployments' && event.name === NAMES.deployment;

/** The token under which the first delivery of the probes is taken up again, with all that was reviewed for it. Nothing names that token any more. */
const withoutSecondToken = (observations: readonly Observation[]): Edit => {
  const [secret, deployment] = ['competing-writer-secret', 'competing-writer-deployment'].map((probe) => find(observations, 'probe.result', isProbe(probe)).body);
  const isForToken = (event: Audit): boolean => event.accessReview !== null || event.subresource === 'token';
  const isBetween = ({ receivedAt }: Audit): boolean => receivedAt > (secret?.endedAt ?? '') && receivedAt < (deployment?.startedAt ?? '');
  const isOfProbes = (event: Audit): boolean => by(PROBE_NAMES.issuerUser, event) || by(PROBE_DELIVERY, event);
  return inTurn(drop('api.audit', (event) => isOfProbes(event) && isForToken(event) && isBetween(event)), (log) => log.map((each) => (each.kind === 'api.audit' && isOfProbes(each.body) ? { ...each, body: { ...each.body, credentialId: null } } : each)));
};

const isMinted = (namespace: string) => (event: Audit): boolean => event.user === 'system:admin' && event.impersonatedUser === null && event.subresource === 'token' && event.namespace === namespace;

/** About writes that the right identity has to make, made by another that could; and about what an identity needs before. */
export const WRITER_LIES: readonly LogLie[] = [
  { name: 'stage-discarded-by-the-administrator', pretends: 'the delivery took away what it had staged; the administrator did', caughtBy: ['gates.restrictedCredentialDeliveryRbac'], tell: ({ observations }) => ({ log: alter('api.audit', isStaged(NAMES.stageNamespace, 'delete'), as(ADMINISTRATOR))(observations) }) },
  { name: 'probe-staged-by-the-administrator', pretends: 'the delivery of the probes staged its token; the administrator did', caughtBy: ['gates.restrictedCredentialDeliveryRbac'], tell: ({ observations }) => ({ log: alterFirst('api.audit', isStaged(PROBE_NAMES.stageNamespace, 'create'), as(ADMINISTRATOR))(observations) }) },
  { name: 'deployment-specified-by-its-controller', pretends: 'delivery and administrator specified the Deployment; its controller did', caughtBy: ['gates.secretAndDeploymentResourceVersionCas'], tell: ({ observations }) => ({ log: alter('api.audit', isSpecifiedByAdministrator, as(DEPLOYMENT_CONTROLLER))(observations) }) },
  { name: 'probe-secret-written-by-the-administrator', pretends: 'the delivery of the probes wrote the Secret once nobody disturbed it; the administrator did', caughtBy: ['probes.competing-writer-secret'], tell: ({ observations }) => ({ log: alterFirst('api.audit', isUpdateByProbe('secrets'), as(ADMINISTRATOR))(observations) }) },
  { name: 'probe-deployment-written-by-the-administrator', pretends: 'the delivery of the probes wrote the Deployment once nobody disturbed it; the administrator did', caughtBy: ['probes.competing-writer-deployment'], tell: ({ observations }) => ({ log: alterFirst('api.audit', isUpdateByProbe('deployments'), as(ADMINISTRATOR))(observations) }) },
  { name: 'probes-issuer-without-reviews', pretends: 'the issuer of the probes asked what it may do; it did not', caughtBy: ['gates.leastPrivilegeTokenIssuerRbac'], tell: ({ observations }) => ({ log: drop('api.audit', isReviewBy(PROBE_NAMES.issuerUser))(observations) }) },
  { name: 'probes-delivery-without-reviews', pretends: 'the delivery of the probes asked what it may do; it did not', caughtBy: ['gates.restrictedCredentialDeliveryRbac'], tell: ({ observations }) => ({ log: drop('api.audit', isReviewBy(PROBE_DELIVERY))(observations) }) },
  { name: 'token-of-the-attempt-before', pretends: 'each attempt asked for a token; one went on under that of the attempt before', caughtBy: ['gates.tokenRequestSessionDisposed'], tell: ({ observations }) => ({ log: withoutSecondToken(observations)(observations) }) },
  { name: 'token-without-a-name', pretends: 'Kubernetes 1.34; the API server did not name the token of a request, as an older one', caughtBy: ['BUNDLE_INTEGRITY'], tell: ({ observations }) => ({ log: alterFirst('api.audit', (event) => by(PROBE_DELIVERY, event) && event.credentialId !== null, (event) => ({ ...event, credentialId: null }))(observations) }) },
  { name: 'forbidden-delivery-without-a-token', pretends: 'the delivery tried what is forbidden; nobody had made a token for it', caughtBy: ['probes.delivery-forbidden-verb'], tell: ({ observations }) => ({ log: drop('api.audit', isMinted(NAMES.stageNamespace))(observations) }) },
  { name: 'forbidden-executor-without-a-token', pretends: 'the executor tried what is forbidden; nobody had made a token for it', caughtBy: ['probes.executor-forbidden-verb'], tell: ({ observations }) => ({ log: drop('api.audit', isMinted(NAMES.executorNamespace))(observations) }) },
];
