import { STAGE_SECRET_PREFIX } from '../../../evidence/annotations.ts';
import { CONTRACT_NAMES as NAMES, PROBE_NAMES } from '../../../evidence/contract-names.ts';
import { PROBE_DELIVERY } from '../../../evidence/identities.ts';
import type { ObservationBodies } from '../../../evidence/observation.ts';
import { by } from '../log-cast.ts';
import { alter, alterFirst } from '../log-edit.ts';
import type { LogLie } from '../log-lie.ts';

type Audit = ObservationBodies['api.audit'];
type Who = Pick<Audit, 'user' | 'impersonatedUser' | 'credentialId'>;

const ADMINISTRATOR: Who = { user: 'system:admin', impersonatedUser: null, credentialId: null };
const DEPLOYMENT_CONTROLLER: Who = { ...ADMINISTRATOR, user: 'system:serviceaccount:kube-system:deployment-controller' };
const as = (who: Who) => (event: Audit): Audit => ({ ...event, ...who });
const isStaged = (namespace: string, verb: string) => (event: Audit): boolean => event.verb === verb && event.namespace === namespace && event.name?.startsWith(STAGE_SECRET_PREFIX) === true;
const isUpdateByProbe = (resource: string) => (event: Audit): boolean => by(PROBE_DELIVERY, event) && event.verb === 'update' && event.resource === resource && event.code === 200;
const isSpecifiedByAdministrator = (event: Audit): boolean => event.user === 'system:admin' && event.impersonatedUser === null && event.verb === 'update' && event.resource === 'deployments' && event.name === NAMES.deployment;

/** About writes that the right identity has to make, made by another that could. */
export const WRITER_LIES: readonly LogLie[] = [
  { name: 'stage-discarded-by-the-administrator', pretends: 'the delivery took away what it had staged; the administrator did', caughtBy: ['gates.restrictedCredentialDeliveryRbac'], tell: ({ observations }) => ({ log: alter('api.audit', isStaged(NAMES.stageNamespace, 'delete'), as(ADMINISTRATOR))(observations) }) },
  { name: 'probe-staged-by-the-administrator', pretends: 'the delivery of the probes staged its token; the administrator did', caughtBy: ['gates.restrictedCredentialDeliveryRbac'], tell: ({ observations }) => ({ log: alterFirst('api.audit', isStaged(PROBE_NAMES.stageNamespace, 'create'), as(ADMINISTRATOR))(observations) }) },
  { name: 'deployment-specified-by-its-controller', pretends: 'delivery and administrator specified the Deployment; its controller did', caughtBy: ['gates.secretAndDeploymentResourceVersionCas'], tell: ({ observations }) => ({ log: alter('api.audit', isSpecifiedByAdministrator, as(DEPLOYMENT_CONTROLLER))(observations) }) },
  { name: 'probe-secret-written-by-the-administrator', pretends: 'the delivery of the probes wrote the Secret once nobody disturbed it; the administrator did', caughtBy: ['probes.competing-writer-secret'], tell: ({ observations }) => ({ log: alterFirst('api.audit', isUpdateByProbe('secrets'), as(ADMINISTRATOR))(observations) }) },
  { name: 'probe-deployment-written-by-the-administrator', pretends: 'the delivery of the probes wrote the Deployment once nobody disturbed it; the administrator did', caughtBy: ['probes.competing-writer-deployment'], tell: ({ observations }) => ({ log: alterFirst('api.audit', isUpdateByProbe('deployments'), as(ADMINISTRATOR))(observations) }) },
];
