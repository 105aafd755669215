import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PROBE_NAMES } from './contract-names.ts';
import { PROBE_DELIVERY } from './identities.ts';
import { alter, drop, first, insertAfter, type Lie } from './testing/lies.ts';
import { completeRun } from './testing/complete-run.ts';
import { renumber } from './testing/story.ts';
import { witnessRuleFaults } from './witness-rules.ts';

const RUN = completeRun({ platform: 'embedded', treeClean: true });
const isGet = ({ verb, resource }: { readonly verb: string; readonly resource: string | null }): boolean => verb === 'get' && resource === 'secrets';
const isEvent = (type: string, kind: string) => (body: { readonly type: string; readonly object: { readonly kind: string } }): boolean => body.type === type && body.object.kind === kind;
const isRequest = (verb: string, resource: string) => (body: { readonly verb: string; readonly resource: string | null; readonly subresource: string | null }): boolean => body.verb === verb && body.resource === resource && body.subresource === null;
const isPodOf = (prefix: string) => ({ object }: { readonly object: { readonly kind: string; readonly metadata: { readonly name: string } } }): boolean => object.kind === 'Pod' && object.metadata.name.startsWith(prefix);

const LIES: Readonly<Record<string, readonly [Lie, RegExp]>> = {
  'an audit event stands there twice': [insertAfter('api.audit', isGet, (body) => body), /logs each stage of a request once/],
  'a line of a process is missing': [drop('process.line', ({ index, line }) => index === 1 && line['component'] === 'qinglong3-worker'), /the lines of one output follow each other/],
  'a line of the ingress is missing': [drop('ingress.line', ({ index }) => index === 3), /the lines of one output follow each other/],
  'a line comes from a Pod that was never watched': [drop('api.watched', isPodOf('ql3-worker-ingress-probe')), /a line is printed by a Pod that the watch has shown/],
  'Pods change that never appeared': [drop('api.watched', isEvent('ADDED', 'Pod')), /added, then changed, then gone; Pod \S+ is modified before it was added/],
  'a Secret of the probes was replaced without a request': [drop('api.audit', first((body) => isRequest('update', 'secrets')(body) && body.namespace === PROBE_NAMES.workerNamespace && body.code === 200)), /what the watch shows to change was written; secrets\/ql3-worker-rollout-probe-live\/\S+ has changed (\d+) times, and the API server has logged \d+ writes/],
  'a Deployment of the probes was replaced without a request': [drop('api.audit', first((body) => isRequest('update', 'deployments')(body) && body.namespace === PROBE_NAMES.workerNamespace && body.user === PROBE_DELIVERY && body.code === 200)), /what the watch shows to change was written; deployments\/ql3-worker-rollout-probe-live/],
  'nobody asked for a token that the probes used': [drop('api.audit', first(({ subresource, namespace }) => subresource === 'token' && namespace === PROBE_NAMES.stageNamespace)), /a token is asked for before it is used; system:serviceaccount:ql3-worker-rollout-probe-stage-live/],
  'an object changes after its end': [insertAfter('api.watched', isEvent('DELETED', 'Pod'), (body) => ({ ...body, type: 'MODIFIED' })), /is modified after it was deleted/],
  'an object appears twice': [insertAfter('api.watched', isEvent('ADDED', 'Job'), (body) => body), /is added after it was added/],
  'resourceVersions do not rise': [alter('api.watched', isEvent('MODIFIED', 'Deployment'), ({ type, object }) => ({ type, object: { ...object, metadata: { ...object.metadata, resourceVersion: '7' } } })), /is modified at resourceVersion 7, after \d+/],
  'one state is shown with two contents': [insertAfter('api.watched', isEvent('MODIFIED', 'Deployment'), ({ type, object }) => ({ type, object: { ...object, spec: {} } })), /at the resourceVersion \d+ that it had/],
  'nobody asked for the Pods': [drop('api.audit', isRequest('create', 'pods')), /asked for before; it shows pods\/\S+ added, time 1, when the API server had logged 0/],
  'the API server refused to make the Pods': [alter('api.audit', isRequest('create', 'pods'), (body) => ({ ...body, code: 403 })), /pods\/\S+ added, time 1, when the API server had logged 0/],
  'one of two Pods was asked for': [drop('api.audit', first(isRequest('create', 'pods'))), /pods\/\S+ added, time \d+, when the API server had logged/],
  'the API server refused to let a Secret go': [alter('api.audit', isRequest('delete', 'secrets'), (body) => ({ ...body, code: 409 })), /secrets\/\S+ deleted, time 1, when the API server had logged 0/],
  'a Pod was asked for and never seen': [drop('api.watched', ({ object }) => object.kind === 'Pod' && object.metadata.annotations?.['qinglong.io/worker-credential-id'] === undefined && object.metadata.name.startsWith('ql3-worker-live-')), /each Pod that was asked for appears/],
  'nobody asked for the Jobs': [drop('api.audit', isRequest('create', 'jobs')), /jobs\/\S+ added, time 1, when the API server had logged 0/],
  'nobody asked for the Deployments': [drop('api.audit', isRequest('create', 'deployments')), /deployments\/\S+ added, time 1, when the API server had logged 0/],
  'nobody asked a Pod to go': [drop('api.audit', ({ verb, resource, user }) => verb === 'delete' && resource === 'pods' && user === 'system:admin'), /pods\/\S+ deleted, time 1, when the API server had logged 0/],
  'a Secret was deleted and stays': [drop('api.watched', isEvent('DELETED', 'Secret')), /the watch does not show secrets\/\S+ to go/],
  'the runtime saw no exit of a Worker': [drop('container.exited', first(() => true)), /the runtime saw each container end that a kubelet says has ended/],
  'the runtime saw another exit code': [alter('container.exited', () => true, (body) => ({ ...body, exitCode: 137 })), /kubelet and runtime tell the same end/],
  'the kubelet tells of another exit of no container': [alter('api.watched', ({ object }) => JSON.stringify(object).includes('"terminated"'), (body) => JSON.parse(JSON.stringify(body).replace(/"containerID":"[^"]*",/, '').replace('"exitCode":0', '"exitCode":3')) as typeof body), /kubelet and runtime tell the same end/],
  'the runtime saw an exit an hour before': [alter('container.exited', () => true, (body) => ({ ...body, exitedAt: '2026-01-15T09:00:00.000Z' })), /kubelet and runtime tell the same end/],
  'a request is older than the run': [alter('api.audit', isGet, (body) => ({ ...body, receivedAt: '2026-01-14T10:00:00.000000Z' })), /within the run/],
  'a request is later than its recording': [alter('api.audit', isGet, (body) => ({ ...body, completedAt: '2026-01-16T10:00:00.000000Z' })), /before its recording/],
  'a time is none': [alter('api.audit', isGet, (body) => ({ ...body, receivedAt: 'yesterday' })), /no instant/],
  'an object is older than the run': [alter('api.watched', isPodOf('ql3-worker-live'), ({ type, object }) => ({ type, object: { ...object, metadata: { ...object.metadata, creationTimestamp: '2026-01-14T10:00:00Z' } } })), /the object’s creation/],
  'a session ended after it was told': [alter('action.token-session', () => true, (body) => ({ ...body, endedAt: '2026-01-16T10:00:00.000Z' })), /its end/],
  'a row is of another day': [alter('database.rows', ({ table }) => table === 'worker_session_history', (body) => ({ ...body, rows: body.rows.map((row) => ({ ...row, recorded_at_ms: 1 })) })), /worker_session_history\.recorded_at_ms/],
};

/** The API server has stored what it was asked to, and gave up on the request before it could say so. */
const leftOpen = <B extends { readonly code: number | null }>(body: B): B => ({ ...body, code: 504 });

const HARMLESS: Readonly<Record<string, Lie>> = {
  'the API server gave up on a Pod that it had made': alter('api.audit', first(isRequest('create', 'pods')), leftOpen),
  'it gave up on all of them, and on what else it had made': alter('api.audit', ({ verb, subresource }) => verb === 'create' && subresource === null, leftOpen),
  'it gave up on what it had written': alter('api.audit', ({ verb }) => verb === 'update', leftOpen),
  'an answer of many was lost, and the write made once more': insertAfter('api.audit', isRequest('update', 'secrets'), (body) => ({ ...leftOpen(body), auditId: `first-${body.auditId}` })),
  'a watch that was made anew, from a second list, shows two changes as one': (log) =>
    renumber(log.flatMap((each, index) => {
      if (each.kind === 'api.audit' && each.body.verb === 'list' && each.body.resource === 'deployments') return [each, { ...each, body: { ...each.body, auditId: `again-${each.body.auditId}` } }];
      return each.kind === 'api.watched' && isEvent('MODIFIED', 'Deployment')(each.body) && index % 2 === 0 ? [] : [each];
    })),
  'it gave up on what it had deleted': alter('api.audit', ({ verb }) => verb === 'delete', leftOpen),
  'it gave up on a Pod, which was asked for once more': insertAfter('api.audit', isRequest('create', 'pods'), (body) => ({ ...leftOpen(body), auditId: 'first-attempt' })),
  'it broke down over a deletion that it had carried out': alter('api.audit', isRequest('delete', 'secrets'), (body) => ({ ...body, stage: 'Panic', code: 500 })),
};

describe('witnesses of one run', () => {
  it('do not contradict each other', () => assert.deepEqual(witnessRuleFaults(RUN), []));

  for (const [what, change] of Object.entries(HARMLESS)) it(`nor when ${what}`, () => assert.deepEqual(witnessRuleFaults(change(RUN)), []));

  for (const [what, [lie, expected]] of Object.entries(LIES)) {
    it(`are found out when ${what}`, () => {
      const faults = witnessRuleFaults(lie(RUN));
      assert.ok(faults.some(({ rule, because }) => expected.test(rule) && because.length > 0), faults.map(({ rule }) => rule).join('; '));
    });
  }
});
