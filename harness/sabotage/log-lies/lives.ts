import { CONTRACT_NAMES as NAMES } from '../../../evidence/contract-names.ts';
import type { ObservationBodies } from '../../../evidence/observation.ts';
import { actorPods, isExecutorPod, isPod, productPods } from '../log-cast.ts';
import { alter, drop, dropFirst, setIn } from '../log-edit.ts';
import type { LogLie } from '../log-lie.ts';

type Audit = ObservationBodies['api.audit'];
type Watched = ObservationBodies['api.watched'];
const isRequest = (verb: string, resource: string) => (event: Audit): boolean => event.verb === verb && event.resource === resource && event.subresource === null;
const isAdministrators = (event: Audit): boolean => event.user === 'system:admin' && event.impersonatedUser === null;
const isJob = ({ object }: Watched): boolean => object.kind === 'Job' && object.metadata.name === NAMES.executorJob;
const inStatus = (field: string, value: unknown) => (body: Watched): Watched => {
  const { status } = body.object as { readonly status?: { readonly containerStatuses?: readonly unknown[] } };
  return status?.containerStatuses === undefined ? body : setIn(body, ['object', 'status', 'containerStatuses', 0, field], value);
};

/** About what comes into being, changes and goes, and who saw it. */
export const LIFE_LIES: readonly LogLie[] = [
  { name: 'pods-that-nobody-made', pretends: 'Pods appeared; the API server logged no request for them', caughtBy: ['BUNDLE_INTEGRITY'], tell: ({ observations }) => ({ log: drop('api.audit', isRequest('create', 'pods'))(observations) }) },
  { name: 'pod-hidden-from-the-watch', pretends: 'these were all Pods of the Worker; one more was made and is not shown', caughtBy: ['BUNDLE_INTEGRITY'], tell: ({ observations }) => ({ log: drop('api.watched', isPod(actorPods(observations)[3]))(observations) }) },
  { name: 'jobs-that-nobody-made', pretends: 'somebody asked for the Jobs; no request did', caughtBy: ['BUNDLE_INTEGRITY'], tell: ({ observations }) => ({ log: drop('api.audit', isRequest('create', 'jobs'))(observations) }) },
  { name: 'forced-loss-by-nobody', pretends: 'a Pod was lost by force; nobody asked for it', caughtBy: ['BUNDLE_INTEGRITY', 'gates.pvcJournalSurvivedRolloutAndForcedPodLoss'], tell: ({ observations }) => ({ log: drop('api.audit', (event) => isRequest('delete', 'pods')(event) && isAdministrators(event))(observations) }) },
  { name: 'forced-loss-with-grace', pretends: 'a Pod was lost by force; it was given half a minute', caughtBy: ['gates.pvcJournalSurvivedRolloutAndForcedPodLoss'], tell: ({ observations }) => ({ log: alter('api.watched', (body) => isPod(actorPods(observations)[1])(body) && body.object.metadata.deletionTimestamp !== undefined, (body) => setIn(body, ['object', 'metadata', 'deletionGracePeriodSeconds'], 30))(observations) }) },
  { name: 'generation-without-a-write', pretends: 'the Deployment changed; the administrator’s writes are hidden', caughtBy: ['gates.secretAndDeploymentResourceVersionCas'], tell: ({ observations }) => ({ log: drop('api.audit', (event) => isRequest('update', 'deployments')(event) && isAdministrators(event) && event.name === NAMES.deployment)(observations) }) },
  { name: 'identity-without-a-write', pretends: 'the identity Secret changed; nobody wrote it', caughtBy: ['gates.secretAndDeploymentResourceVersionCas'], tell: ({ observations }) => ({ log: dropFirst('api.audit', (event) => isRequest('update', 'secrets')(event) && event.name === NAMES.identitySecret)(observations) }) },
  { name: 'life-without-a-beginning', pretends: 'a Pod of the Worker; its beginning is left out', caughtBy: ['BUNDLE_INTEGRITY'], tell: ({ observations }) => ({ log: dropFirst('api.watched', (body) => body.type === 'ADDED' && isPod(productPods(observations)[1])(body))(observations) }) },
  { name: 'worker-that-began-again', pretends: 'each Worker ran once; one was restarted', caughtBy: ['gates.recreateOrderingObserved'], tell: ({ observations }) => ({ log: alter('api.watched', isPod(productPods(observations)[1]), inStatus('restartCount', 2))(observations) }) },
  { name: 'successor-before-the-end', pretends: 'old ended before new began; the new Pod is older than the old one’s end', caughtBy: ['gates.recreateOrderingObserved'], tell: ({ observations }) => ({ log: alter('api.watched', isPod(productPods(observations)[2]), (body) => setIn(body, ['object', 'metadata', 'creationTimestamp'], observations[0]?.at.replace(/\.\d{3}Z$/, 'Z')))(observations) }) },
  { name: 'job-that-failed', pretends: 'the Job succeeded; its status says otherwise', caughtBy: ['gates.realCallerDrivenExecutorJob'], tell: ({ observations }) => ({ log: alter('api.watched', isJob, (body) => setIn(body, ['object', 'status'], { failed: 1 }))(observations) }) },
  { name: 'executor-that-began-again', pretends: 'the executor ran once; its container was restarted', caughtBy: ['gates.realCallerDrivenExecutorJob'], tell: ({ observations }) => ({ log: alter('api.watched', isExecutorPod(NAMES.executorJob), inStatus('restartCount', 1))(observations) }) },
];
