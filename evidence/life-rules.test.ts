import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CONTRACT_NAMES as NAMES, PROBE_NAMES } from './contract-names.ts';
import { ObservedRun } from './facts/observed-run.ts';
import { DELIVERY, PROBE_DELIVERY } from './identities.ts';
import { lifeRuleFaults } from './life-rules.ts';
import type { AuditEvent, Observation, ObservationBodies } from './observation.ts';
import { alter, drop, first, insertAfter, type Lie } from './testing/lies.ts';
import { completeRun } from './testing/complete-run.ts';
import { renumber } from './testing/story.ts';

type Watched = ObservationBodies['api.watched'];
const RUN = completeRun({ platform: 'embedded', treeClean: true });
const faultsOf = (log: readonly Observation[]): string[] => lifeRuleFaults(new ObservedRun(log)).map(({ rule }) => rule);

const isForcedDeletion = ({ verb, resource, user, namespace }: AuditEvent): boolean => verb === 'delete' && resource === 'pods' && user === 'system:admin' && namespace === NAMES.workerNamespace;
const isUpdate = (user: string, resource: string, name: string) => (event: AuditEvent): boolean => event.verb === 'update' && event.user === user && event.resource === resource && event.name === name && event.code === 200;
const isCreation = (resource: string) => ({ verb, resource: asked, subresource }: AuditEvent): boolean => verb === 'create' && asked === resource && subresource === null;
const byAdministrator = isUpdate('system:admin', 'deployments', NAMES.deployment);
const ofIdentity = isUpdate('system:admin', 'secrets', NAMES.identitySecret);
const moved = (seconds: number) => (event: AuditEvent): AuditEvent => ({ ...event, receivedAt: later(event.receivedAt, seconds), completedAt: later(event.completedAt, seconds) });
const later = (at: string, seconds: number): string => new Date(Date.parse(at) + 1000 * seconds).toISOString();
const again = (event: AuditEvent): AuditEvent => ({ ...event, auditId: `again-${event.auditId}` });
const isPodOf = (deployment: string) => ({ object }: Watched): boolean => object.kind === 'Pod' && object.metadata.name.startsWith(deployment);
const LAST_UPDATE = RUN.flatMap((each) => (each.kind === 'api.audit' && byAdministrator(each.body) ? [each.body.auditId] : [])).at(-1);
const WAITING = RUN.flatMap((each) => (each.kind === 'api.watched' && isPodOf(NAMES.deployment)(each.body) ? [each.body.object.metadata.name] : []))[0];

const LIES: Readonly<Record<string, readonly [Lie, RegExp]>> = {
  'a request is answered before it arrives': [alter('api.audit', first(isCreation('jobs')), (event) => ({ ...event, completedAt: later(event.receivedAt, -1) })), /arrives before it is answered/],
  'a Pod goes before it was asked to': [alter('api.audit', isForcedDeletion, moved(20)), /pods\/\S+ deleted, time 1, when the API server had logged 0/],
  'a Deployment changes before it was asked to': [alter('api.audit', first(byAdministrator), moved(3)), /deployments\/\S+ modified, time \d+/],
  'a Secret of the probes changes without a request': [drop('api.audit', first(isUpdate(PROBE_DELIVERY, 'secrets', PROBE_NAMES.targetSecret))), /secrets\/\S+probe-credential modified, time \d+/],
  'Pods of a namespace appear before they were asked for': [alter('api.audit', ({ verb, resource, namespace, subresource }) => verb === 'create' && resource === 'pods' && namespace === NAMES.workerNamespace && subresource === null, moved(1)), /pods\/ql3-worker-rollout-live added, time 1/],
  'a Pod is older than the request for it': [alter('api.watched', isPodOf(NAMES.controlDeployment), (body) => ({ ...body, object: { ...body.object, metadata: { ...body.object.metadata, creationTimestamp: RUN[0]?.at.replace(/\.\d+Z$/, 'Z') ?? '' } } })), /shows of pods\/\S+ is of other times/],
  'a Job is younger than the answer to the request for it': [alter('api.audit', isCreation('jobs'), moved(-2)), /shows of jobs\/\S+ is of other times/],
  'a Role is older than the request for it': [alter('api.audit', isCreation('roles'), moved(3)), /shows of roles\/\S+ is of other times/],
  'a policy is older than the request for it': [alter('api.audit', isCreation('networkpolicies'), moved(3)), /shows of networkpolicies\/\S+ is of other times/],
  'a Pod runs that no watch showed': [(log) => drop('api.audit', first(({ resource, verb, namespace, subresource }) => resource === 'pods' && verb === 'create' && namespace === NAMES.workerNamespace && subresource === null))(drop('api.watched', ({ object }) => object.metadata.name === WAITING)(log)), /the watch never showed Pod ql3-worker-live-/],
  'no scheduler bound the Pods': [drop('api.audit', ({ subresource }) => subresource === 'binding'), /no binding of pods\//],
  'no controller made the ReplicaSets': [drop('api.audit', isCreation('replicasets')), /no creation of replicasets\//],
  'no node told how its Pods are': [drop('api.audit', ({ subresource, resource }) => subresource === 'status' && resource === 'pods'), /pods\/\S+ modified, time \d+/],
  'a replace passes a resourceVersion of another time': [alter('api.audit', isUpdate(PROBE_DELIVERY, 'secrets', PROBE_NAMES.targetSecret), (event) => ({ ...event, resourceVersion: `${Number(event.resourceVersion) - 1}` })), /the watch never showed secrets\/\S+probe-credential at/],
  'states of the identity Secret are hidden': [drop('api.watched', ({ type, object }) => type === 'MODIFIED' && object.metadata.name === NAMES.identitySecret), /the watch never showed secrets\/\S+identity at/],
  'an update comes before what it read': [alter('api.audit', ({ auditId }) => auditId === LAST_UPDATE, moved(-20)), /comes after the writes that led to the state it carries/],
  'a Job is made twice': [insertAfter('api.audit', isCreation('jobs'), again), /cannot be made again; jobs\//],
  'an identity is replaced twice': [insertAfter('api.audit', ofIdentity, again), /a state is replaced once; secrets\/\S+identity/],
  'a delivery is made twice': [insertAfter('api.audit', isUpdate(DELIVERY, 'secrets', NAMES.targetSecret), again), /a state is replaced once; secrets\/\S+credential/],
};

const open = (event: AuditEvent): AuditEvent => ({ ...event, code: 504 });
const HARMLESS: Readonly<Record<string, Lie>> = {
  'the API server gave up on every status that it stored': alter('api.audit', ({ subresource }) => subresource === 'status', open),
  'it gave up on the bindings and the ReplicaSets': alter('api.audit', (event) => event.subresource === 'binding' || isCreation('replicasets')(event), open),
  'it gave up on a creation long before it was done': alter('api.audit', isCreation('jobs'), (event) => ({ ...open(event), receivedAt: later(event.receivedAt, -3), completedAt: later(event.completedAt, -3) })),
  'a controller writes what is there already': insertAfter('api.audit', ({ subresource }) => subresource === 'status', again),
  'the administrator lost an answer, and wrote once more what was there': insertAfter('api.audit', isUpdate('system:admin', 'deployments', NAMES.deployment), (event) => ({ ...again(event), resourceVersion: versionAfter(event), receivedAt: event.completedAt })),
  'the API server was slow to log what it did last': (log) => drop('api.audit', ({ subresource, name }) => subresource === 'status' && name === lastPod(log))(log),
  'the process that watches was stopped for a while': (log) => log.map((each) => (each.kind === 'api.watched' ? { ...each, at: later(each.at, 3) } : each)),
  'somebody watches a Pod that is not there': insertAfter('api.audit', ({ verb, resource }) => verb === 'list' && resource === 'pods', (event) => ({ ...again(event), verb: 'watch', name: 'absent' })),
  'all Pods of a namespace were deleted at once': (log) => alter('api.audit', isForcedDeletion, (event) => ({ ...event, verb: 'deletecollection', name: null }))(log),
};

function versionAfter({ resourceVersion, name }: AuditEvent): string {
  const versions = RUN.flatMap((each) => (each.kind === 'api.watched' && each.body.object.metadata.name === name ? [each.body.object.metadata.resourceVersion] : []));
  return versions[versions.indexOf(resourceVersion ?? '') + 1] ?? '';
}

function lastPod(log: readonly Observation[]): string {
  const collected = log.find((each) => each.kind === 'run.step' && each.body.step === 'collect');
  const pods = log.flatMap((each) => (each.kind === 'api.watched' && each.body.object.kind === 'Pod' && Date.parse(each.at) > Date.parse(collected?.at ?? '') - 5000 ? [each.body.object.metadata.name] : []));
  return pods.at(-1) ?? '';
}

describe('what the watch showed and what the API server logged', () => {
  it('agree in a whole run', () => assert.deepEqual(faultsOf(RUN), []));

  for (const [what, change] of Object.entries(HARMLESS)) it(`agree when ${what}`, () => assert.deepEqual(faultsOf(renumber(change(RUN))), []));

  for (const [what, [lie, expected]] of Object.entries(LIES)) {
    it(`do not when ${what}`, () => {
      const faults = faultsOf(lie(RUN));
      assert.ok(faults.some((rule) => expected.test(rule)), faults.join('; '));
    });
  }
});
