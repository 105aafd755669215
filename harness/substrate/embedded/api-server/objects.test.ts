import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ApiObject } from './in-process-api.ts';
import { startTestServer, type RawAnswer } from './test-client.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const podTemplate = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i:1' }] } };

let running: Awaited<ReturnType<typeof startTestServer>>;
before(async () => {
  running = await startTestServer();
});
after(async () => running[Symbol.asyncDispose]());

const send = async (method: string, path: string, body?: unknown, contentType = 'application/json'): Promise<RawAnswer> => running.admin.send(method, path, { ...(body === undefined ? {} : { body }), contentType });

test('a stale replace is 409 Conflict, an unchanged one keeps the resourceVersion', async () => {
  const { object: created } = await send('POST', CONFIG_MAPS, { metadata: { name: 'cas' }, data: { a: '1' } });
  const { object: updated } = await send('PUT', `${CONFIG_MAPS}/cas`, { ...created, data: { a: '2' } });
  assert.notEqual(updated.metadata.resourceVersion, created.metadata.resourceVersion);
  assert.equal(updated.metadata.uid, created.metadata.uid);
  const stale = await send('PUT', `${CONFIG_MAPS}/cas`, { ...created, data: { a: '3' } });
  assert.equal(stale.code, 409);
  assert.equal(stale.object.message, 'Operation cannot be fulfilled on configmaps "cas": the object has been modified; please apply your changes to the latest version and try again');
  const same = await send('PUT', `${CONFIG_MAPS}/cas`, updated);
  assert.equal(same.object.metadata.resourceVersion, updated.metadata.resourceVersion);
});

test('AlreadyExists and NotFound are said as Kubernetes says them', async () => {
  await send('POST', CONFIG_MAPS, { metadata: { name: 'twice' } });
  const again = await send('POST', CONFIG_MAPS, { metadata: { name: 'twice' } });
  assert.deepEqual(again.object, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message: 'configmaps "twice" already exists', reason: 'AlreadyExists', details: { name: 'twice', kind: 'configmaps' }, code: 409 });
  const missing = await send('GET', `${DEPLOYMENTS}/none`);
  assert.deepEqual(missing.object, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message: 'deployments.apps "none" not found', reason: 'NotFound', details: { name: 'none', group: 'apps', kind: 'deployments' }, code: 404 });
});

test('a Deployment gets its defaults, and a generation that rises with its spec alone', async () => {
  const { object, code } = await send('POST', DEPLOYMENTS, { metadata: { name: 'd' }, spec: { selector: { matchLabels: { app: 'a' } }, template: podTemplate } });
  assert.equal(code, 201);
  assert.equal(object.spec?.['replicas'], 1);
  assert.deepEqual(object.spec?.['strategy'], { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } });
  const status = await send('PUT', `${DEPLOYMENTS}/d/status`, { ...object, spec: { ...object.spec, replicas: 9 }, status: { replicas: 1 } });
  assert.equal(status.object.metadata.generation, 1);
  assert.equal(status.object.spec?.['replicas'], 1);
  const scaled = await send('PATCH', `${DEPLOYMENTS}/d/scale`, { spec: { replicas: 3 } }, 'application/merge-patch+json');
  assert.equal(scaled.object.kind, 'Scale');
  const after = await send('GET', `${DEPLOYMENTS}/d`);
  assert.equal(after.object.metadata.generation, 2);
  assert.deepEqual(after.object.status, { replicas: 1 });
});

test('the invariants of a Deployment are refused with every fault', async () => {
  const faulty = await send('POST', DEPLOYMENTS, { metadata: { name: 'x' }, spec: { replicas: -1 } });
  assert.equal(faulty.code, 422);
  const fields = (faulty.object['details'] as { causes: { field: string }[] }).causes.map(({ field }) => field);
  assert.deepEqual(fields, ['spec.replicas', 'spec.selector', 'spec.template.metadata.labels', 'spec.template.spec.containers']);
  const recreate = { selector: { matchLabels: { app: 'a' } }, template: podTemplate, strategy: { type: 'Recreate', rollingUpdate: { maxSurge: 1 } } };
  const both = await send('POST', DEPLOYMENTS, { metadata: { name: 'x' }, spec: recreate });
  assert.match(both.object.message ?? '', /spec\.strategy\.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'/);
  const { object } = await send('POST', DEPLOYMENTS, { metadata: { name: 'y' }, spec: { selector: { matchLabels: { app: 'a' } }, template: podTemplate } });
  const moved = structuredClone(object) as ApiObject & { spec: { selector: { matchLabels: object }; template: { metadata: object } } };
  moved.spec.selector.matchLabels = { app: 'b' };
  moved.spec.template.metadata = { labels: { app: 'b' } };
  assert.match((await send('PUT', `${DEPLOYMENTS}/y`, moved)).object.message ?? '', /spec\.selector: Invalid value: .*: field is immutable/);
});

test('immutable Secrets and ConfigMaps are immutable', async () => {
  const secrets = '/api/v1/namespaces/default/secrets';
  const { object } = await send('POST', secrets, { metadata: { name: 's' }, immutable: true, stringData: { k: 'v' } });
  assert.deepEqual(object['data'], { k: Buffer.from('v').toString('base64') });
  assert.equal(object['stringData'], undefined);
  assert.equal((await send('PUT', `${secrets}/s`, { ...object, data: { k: 'eA==' } })).object.message, 'Secret "s" is invalid: data: Forbidden: field is immutable when `immutable` is set');
  assert.equal((await send('PUT', `${secrets}/s`, { ...object, immutable: false })).code, 422);
  assert.equal((await send('PUT', `${secrets}/s`, { ...object, metadata: { ...object.metadata, labels: { a: 'b' } } })).code, 200);
});

test('a list is cut into consistent pages, and selected by labels and fields', async () => {
  for (const name of ['p1', 'p2', 'p3']) await send('POST', CONFIG_MAPS, { metadata: { name, labels: { page: 'yes', at: name } } });
  const first = await send('GET', `${CONFIG_MAPS}?limit=2&labelSelector=page`);
  assert.deepEqual(first.object.items?.map((item) => item.metadata.name), ['p1', 'p2']);
  await send('DELETE', `${CONFIG_MAPS}/p3`);
  const rest = await send('GET', `${CONFIG_MAPS}?limit=2&labelSelector=page&continue=${(first.object.metadata as { continue?: string }).continue}`);
  assert.deepEqual(rest.object.items?.map((item) => item.metadata.name), ['p3']);
  const names = async (query: string): Promise<unknown> => (await send('GET', `${CONFIG_MAPS}?${query}`)).object.items?.map((item) => item.metadata.name);
  assert.deepEqual(await names(`labelSelector=${encodeURIComponent('at in (p1,p3),page!=no')}`), ['p1']);
  assert.deepEqual(await names('fieldSelector=metadata.name%3Dp2'), ['p2']);
  assert.equal((await send('GET', `${CONFIG_MAPS}?fieldSelector=data%3Dx`)).object.message, 'field label not supported: data');
  assert.equal((await send('GET', `${CONFIG_MAPS}?continue=bogus`)).code, 400);
});

test('deletion heeds preconditions, finalizers and the grace period of a running Pod', async () => {
  const { object } = await send('POST', CONFIG_MAPS, { metadata: { name: 'held', finalizers: ['example.com/hold'] } });
  const wrongUid = await send('DELETE', `${CONFIG_MAPS}/held`, { preconditions: { uid: 'other' } });
  assert.equal(wrongUid.code, 409);
  assert.match(wrongUid.object.message ?? '', /the UID in the precondition \(other\) does not match the UID in record/);
  const marked = await send('DELETE', `${CONFIG_MAPS}/held`, { preconditions: { uid: object.metadata.uid } });
  assert.ok(marked.object.metadata.deletionTimestamp);
  const released = await send('PATCH', `${CONFIG_MAPS}/held`, { metadata: { finalizers: null } }, 'application/merge-patch+json');
  assert.equal(released.code, 200);
  assert.equal((await send('GET', `${CONFIG_MAPS}/held`)).code, 404);

  const pods = '/api/v1/namespaces/default/pods';
  await send('POST', pods, { metadata: { name: 'p' }, spec: { terminationGracePeriodSeconds: 7, containers: [{ name: 'c', image: 'i' }] } });
  assert.equal((await send('POST', `${pods}/p/binding`, { metadata: { name: 'p' }, target: { kind: 'Node', name: 'n' } })).code, 201);
  assert.equal((await send('POST', `${pods}/p/binding`, { metadata: { name: 'p' }, target: { kind: 'Node', name: 'm' } })).code, 409);
  const leaving = await send('DELETE', `${pods}/p`);
  assert.equal(leaving.object.metadata.deletionGracePeriodSeconds, 7);
  assert.equal((await send('GET', `${pods}/p`)).code, 200);
  await send('DELETE', `${pods}/p`, { gracePeriodSeconds: 0 });
  assert.equal((await send('GET', `${pods}/p`)).code, 404);
});

test('a missing or terminating namespace takes nothing new', async () => {
  assert.equal((await send('POST', '/api/v1/namespaces/nowhere/secrets', { metadata: { name: 'x' } })).object.message, 'namespaces "nowhere" not found');
  await send('POST', '/api/v1/namespaces', { metadata: { name: 'leaving' } });
  assert.equal((await send('DELETE', '/api/v1/namespaces/leaving')).object.status?.['phase'], 'Terminating');
  const refused = await send('POST', '/api/v1/namespaces/leaving/configmaps', { metadata: { name: 'x' } });
  assert.equal(refused.object.message, 'configmaps "x" is forbidden: unable to create new content in namespace leaving because it is being terminated');
  const { object } = await send('GET', '/api/v1/namespaces/leaving');
  await send('PUT', '/api/v1/namespaces/leaving/finalize', { ...object, spec: {} });
  assert.equal((await send('GET', '/api/v1/namespaces/leaving')).code, 404);
});

test('what is not served is refused, never answered with a made-up success', async () => {
  assert.equal((await send('GET', '/apis/apps/v1/namespaces/default/daemonsets')).code, 404);
  assert.equal((await send('GET', '/apis/nothing.example.com/v1/things')).code, 404);
  assert.equal((await send('POST', `${CONFIG_MAPS}/name`, {})).code, 405);
  assert.equal((await send('DELETE', '/api/v1/namespaces')).code, 405);
  assert.equal((await send('GET', '/api/v1/namespaces/default/pods/p/attach')).code, 404);
});
