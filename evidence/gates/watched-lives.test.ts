import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CONTRACT_NAMES as NAMES } from '../contract-names.ts';
import { ObservedRun } from '../facts/observed-run.ts';
import type { GateName } from '../gate-names.ts';
import type { ObservationBodies } from '../observation.ts';
import { alter, alterObject, drop, insertAfter, setIn, type Lie } from '../testing/lies.ts';
import { actors, isControlPod, isJob, isPod, isPodOfJob, products, RUN } from '../testing/scenes.ts';
import { GATES } from './all-gates.ts';

type Audit = ObservationBodies['api.audit'];
const isUpdateOf = (resource: string, name: string) => (event: Audit): boolean => event.verb === 'update' && event.resource === resource && event.name === name && event.user === 'system:admin';
const isWriteOfAdministrator = (event: Audit): boolean => isUpdateOf('deployments', NAMES.deployment)(event) || isUpdateOf('secrets', NAMES.identitySecret)(event);
const status = (...path: readonly (string | number)[]): readonly (string | number)[] => ['status', 'containerStatuses', 0, ...path];
const isRunning = (uid: string | undefined) => ({ object }: ObservationBodies['api.watched']): boolean => isPod(uid)(object) && (object['status'] as { readonly phase: string }).phase === 'Running';

const GUESS = { exitCode: 137, reason: 'ContainerStatusUnknown', message: 'The container could not be located when the pod was terminated', startedAt: null, finishedAt: null };
/** A kubelet that does not find a container any more says how it ended all the same. */
const guessed = (uid: string | undefined): Lie => alterObject((object) => isPod(uid)(object) && JSON.stringify(object).includes('"terminated"'), status('state'), { terminated: GUESS });
const exited = (exitCode: number): Lie => alter('container.exited', () => true, (body) => ({ ...body, exitCode }));

/** What watch, runtime and API server say of one another. */
const LIES: readonly (readonly [gate: Exclude<GateName, 'passed'>, what: string, lie: Lie, rule: RegExp])[] = [
  ['secretAndDeploymentResourceVersionCas', 'the administrator’s writes of the target Deployment are hidden', drop('api.audit', isUpdateOf('deployments', NAMES.deployment)), /every new generation of the target Deployment/],
  ['secretAndDeploymentResourceVersionCas', 'they were made over another state', alter('api.audit', isUpdateOf('deployments', NAMES.deployment), (event) => ({ ...event, resourceVersion: '1' })), /every new generation of the target Deployment/],
  ['secretAndDeploymentResourceVersionCas', 'the writes of the identity Secret are hidden', drop('api.audit', isUpdateOf('secrets', NAMES.identitySecret)), /every later state of the identity Secret/],
  ['secretAndDeploymentResourceVersionCas', 'the identity Secret was written by somebody whose answers were lost', alter('api.audit', isUpdateOf('secrets', NAMES.identitySecret), (event) => ({ ...event, user: 'somebody', code: 504 })), /every later state of the identity Secret/],
  ['secretAndDeploymentResourceVersionCas', 'the target Deployment was not written: conflicts', alter('api.audit', isUpdateOf('deployments', NAMES.deployment), (event) => ({ ...event, code: 409 })), /every new generation of the target Deployment/],
  ['recreateOrderingObserved', 'a Pod was created before its predecessor’s container had ended', alterObject(isPod(products[2]), ['metadata', 'creationTimestamp'], '2026-01-15T10:00:00Z'), /had ended before Pod .* was created and its container started/],
  ['recreateOrderingObserved', 'a container started before its predecessor had ended', alter('api.watched', isRunning(products[1]), (body) => setIn(body, ['object', ...status('state', 'running', 'startedAt')], '2026-01-15T10:00:00Z')), /its container started/],
  ['recreateOrderingObserved', 'a Worker began again', alterObject(isPod(products[0]), status('restartCount'), 7), /no container of a Worker began again/],
  ['recreateOrderingObserved', 'an actor had ended once', alterObject(isPod(actors[1]), status('lastState'), { terminated: { exitCode: 139 } }), /no container of a Worker began again/],
  ['productionGracefulDrainToOffline', 'a Worker failed whose kubelet did not find out', (log) => exited(1)(guessed(products[1])(log)), /the Worker of session 2 ended with exit code 0/],
  ['productionWorkerImageInKubernetes', 'Control began again', alterObject(isControlPod, status('restartCount'), 3), /no container of Control began again/],
  ['productionWorkerImageInKubernetes', 'the node ran another image', alter('image.ran', ({ component }) => component === 'worker', (body) => ({ ...body, imageId: `sha256:${'e'.repeat(64)}` })), /made containers of the worker image from what was built/],
  ['productionWorkerImageInKubernetes', 'the node lists it by another name', alter('image.on-node', ({ component }) => component === 'worker', (body) => ({ ...body, names: ['docker.io/library/other:latest'] })), /the node lists as the worker image what was built/],
  ['productionWorkerImageInKubernetes', 'the node lists another image of the administration', alter('image.on-node', ({ component }) => component === 'admin', (body) => ({ ...body, imageId: `sha256:${'e'.repeat(64)}` })), /the node lists as the admin image what was built/],
  ['productionWorkerImageInKubernetes', 'the node does not list the image of the administration', drop('image.on-node', ({ component }) => component === 'admin'), /the node lists as the admin image what was built/],
  ['productionWorkerImageInKubernetes', 'the node made fewer containers than the kubelet told of', alter('image.ran', ({ component }) => component === 'worker', (body) => ({ ...body, containers: 3 })), /as many as the kubelet told of/],
  ['productionWorkerImageInKubernetes', 'the node made containers of a forgotten image as well', insertAfter('image.ran', ({ component }) => component === 'worker', (body) => ({ ...body, imageId: body.names.join(), manifestDigest: null })), /nothing else of that name/],
  ['productionWorkerImageInKubernetes', 'one image has another lock file', alter('image.built', ({ component }) => component === 'admin', (body) => ({ ...body, lockFileDigest: 'e'.repeat(64) })), /one lock file/],
  ['productionWorkerImageInKubernetes', 'the node ran nothing', drop('image.ran', ({ component }) => component === 'admin'), /made containers of the admin image/],
  ['productionWorkerImageInKubernetes', 'one image has another base', alter('image.built', ({ component }) => component === 'admin', (body) => ({ ...body, baseImageId: 'sha256:1' })), /upon one base/],
  ['productionWorkerImageInKubernetes', 'an image has no Dockerfile', alter('image.built', ({ component }) => component === 'worker', (body) => ({ ...body, dockerfileDigest: null })), /built from Dockerfiles/],
  ['realCallerDrivenExecutorJob', 'the Job failed', alterObject(isJob(NAMES.executorJob), ['status'], { failed: 1 }), /the first Job succeeded once/],
  ['realCallerDrivenExecutorJob', 'the Job’s container began again', alterObject(isPodOfJob(NAMES.executorReplayJob), status('restartCount'), 1), /the replay Job succeeded once/],
  ['pvcJournalSurvivedRolloutAndForcedPodLoss', 'the lost Pod was given time', alterObject((object) => isPod(actors[1])(object) && object.metadata.deletionTimestamp !== undefined, ['metadata', 'deletionGracePeriodSeconds'], 30), /a deletion without grace/],
  ['pvcJournalSurvivedRolloutAndForcedPodLoss', 'a controller deleted the lost Pod', alter('api.audit', ({ verb, resource, user }) => verb === 'delete' && resource === 'pods' && user === 'system:admin', (event) => ({ ...event, user: 'system:serviceaccount:kube-system:replicaset-controller' })), /the administrator asked for the forced loss/],
];

/** What happens to honest runs on a busy machine. */
const HARMLESS: readonly (readonly [gate: Exclude<GateName, 'passed'>, what: string, change: Lie])[] = [
  ['secretAndDeploymentResourceVersionCas', 'the API server gave up on writes of the administrator that it had stored', alter('api.audit', isWriteOfAdministrator, (event) => ({ ...event, code: 504 }))],
  ['productionGracefulDrainToOffline', 'the kubelet can only guess how a Worker ended, and the runtime saw it', guessed(products[2])],
  ['recreateOrderingObserved', 'the kubelet can only guess how a Worker ended, and the runtime saw it', guessed(products[1])],
];

describe('lives of objects, as several witnesses tell them', () => {
  for (const [gate, what, lie, expected] of LIES) {
    it(`${gate} sees that ${what}`, () => {
      const { holds, unmet } = GATES[gate](new ObservedRun(lie(RUN)));
      assert.ok(!holds && unmet.some(({ rule, because }) => expected.test(rule) && because.length > 0), unmet.map(({ rule }) => rule).join('; '));
    });
  }

  for (const [gate, what, change] of HARMLESS) it(`${gate} holds when ${what}`, () => assert.deepEqual(GATES[gate](new ObservedRun(change(RUN))).unmet, []));
});
