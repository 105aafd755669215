import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { decodeJwt } from 'jose';
import type { AuditEvent } from './audit/audit-event.ts';
import { startTestServer, TestClient } from './test-client.ts';

const SECRETS = '/api/v1/namespaces/default/secrets';
const RBAC = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';

let running: Awaited<ReturnType<typeof startTestServer>>;
let bob: TestClient;
before(async () => {
  running = await startTestServer();
  bob = new TestClient(await running.server.issueClientKubeconfig('bob', ['devs']));
  await running.admin.send('POST', `${RBAC}/roles`, {
    body: {
      metadata: { name: 'target' },
      rules: [
        { apiGroups: [''], resources: ['secrets'], resourceNames: ['mine'], verbs: ['get', 'update'] },
        { apiGroups: [''], resources: ['serviceaccounts/token'], resourceNames: ['runner'], verbs: ['create'] },
      ],
    },
  });
  await running.admin.send('POST', `${RBAC}/rolebindings`, { body: { metadata: { name: 'target' }, roleRef: { kind: 'Role', name: 'target' }, subjects: [{ kind: 'Group', name: 'devs' }, { kind: 'User', name: 'operator' }] } });
  for (const name of ['mine', 'other']) await running.admin.send('POST', SECRETS, { body: { metadata: { name } } });
  await running.admin.send('POST', '/api/v1/namespaces/default/serviceaccounts', { body: { metadata: { name: 'runner' } } });
});
after(async () => running[Symbol.asyncDispose]());

const auditEvents = (): AuditEvent[] => readFileSync(running.server.auditLogPath, 'utf8').trim().split('\n').map((line) => JSON.parse(line) as AuditEvent);

test('a role allows exactly its names and verbs, and a refusal says what was missing', async () => {
  assert.equal((await bob.send('GET', `${SECRETS}/mine`)).code, 200);
  const other = await bob.send('GET', `${SECRETS}/other`);
  assert.equal(other.code, 403);
  assert.equal(other.object.message, 'secrets "other" is forbidden: User "bob" cannot get resource "secrets" in API group "" in the namespace "default"');
  assert.equal((await bob.send('GET', SECRETS)).object.message, 'secrets is forbidden: User "bob" cannot list resource "secrets" in API group "" in the namespace "default"');
  assert.equal((await bob.send('GET', '/api/v1/nodes')).object.message, 'nodes is forbidden: User "bob" cannot list resource "nodes" in API group "" at the cluster scope');
  assert.equal((await bob.send('POST', '/api/v1/namespaces/default/serviceaccounts/default/token', { body: {} })).object.message, 'serviceaccounts "default" is forbidden: User "bob" cannot create resource "serviceaccounts/token" in API group "" in the namespace "default"');
});

test('SelfSubjectAccessReview tells what authorisation would', async () => {
  const review = async (attributes: object): Promise<unknown> => (await bob.send('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', { body: { spec: { resourceAttributes: attributes } } })).object.status?.['allowed'];
  assert.equal(await review({ verb: 'get', resource: 'secrets', namespace: 'default', name: 'mine' }), true);
  assert.equal(await review({ verb: 'get', resource: 'secrets', namespace: 'default' }), false);
  assert.equal(await review({ verb: 'create', resource: 'serviceaccounts', subresource: 'token', namespace: 'default', name: 'runner' }), true);
  const event = auditEvents().filter(({ objectRef }) => objectRef?.resource === 'selfsubjectaccessreviews').at(-1);
  assert.equal(event?.level, 'RequestResponse');
  assert.equal((event?.responseObject as { status?: { allowed?: boolean } } | undefined)?.status?.allowed, true);
});

test('nobody grants what they do not hold', async () => {
  await running.admin.send('POST', `${RBAC}/roles`, { body: { metadata: { name: 'grantor' }, rules: [{ apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles', 'rolebindings'], verbs: ['create'] }] } });
  await running.admin.send('POST', `${RBAC}/rolebindings`, { body: { metadata: { name: 'grantor' }, roleRef: { kind: 'Role', name: 'grantor' }, subjects: [{ kind: 'User', name: 'bob' }] } });
  const role = (rules: object[]): object => ({ metadata: { name: 'copied' }, rules });
  assert.equal((await bob.send('POST', `${RBAC}/roles`, { body: role([{ apiGroups: [''], resources: ['secrets'], resourceNames: ['mine'], verbs: ['get'] }]) })).code, 201);
  assert.match((await bob.send('POST', `${RBAC}/roles`, { body: role([{ apiGroups: [''], resources: ['secrets'], verbs: ['*'] }]) })).object.message ?? '', /attempting to grant RBAC permissions not currently held/);
  const escalation = { metadata: { name: 'up' }, roleRef: { kind: 'ClusterRole', name: 'cluster-admin' }, subjects: [{ kind: 'User', name: 'bob' }] };
  assert.equal((await bob.send('POST', `${RBAC}/rolebindings`, { body: escalation })).code, 403);
});

test('impersonation needs the right to impersonate, and shows in the audit log', async () => {
  const asOperator = { 'impersonate-user': 'operator' };
  assert.equal((await running.admin.send('GET', `${SECRETS}/mine`, { headers: asOperator })).code, 200);
  assert.equal((await running.admin.send('GET', `${SECRETS}/other`, { headers: asOperator })).code, 403);
  const [event] = auditEvents().filter(({ impersonatedUser }) => impersonatedUser?.username === 'operator');
  assert.equal(event?.user.username, 'system:admin');
  assert.deepEqual(event?.impersonatedUser, { username: 'operator', groups: ['system:authenticated'] });
  assert.equal((await bob.send('GET', `${SECRETS}/mine`, { headers: asOperator })).object.message, 'users "operator" is forbidden: User "bob" cannot impersonate resource "users" in API group "" at the cluster scope');
});

test('a token is bound to its account and Pod, and dies with the Pod', async () => {
  const pods = '/api/v1/namespaces/default/pods';
  const { object: pod } = await running.admin.send('POST', pods, { body: { metadata: { name: 'holder' }, spec: { serviceAccountName: 'runner', automountServiceAccountToken: false, containers: [{ name: 'c', image: 'i' }] } } });
  const answer = await bob.send('POST', '/api/v1/namespaces/default/serviceaccounts/runner/token', {
    body: { spec: { audiences: [], expirationSeconds: 600, boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'holder', uid: pod.metadata.uid } } },
  });
  assert.equal(answer.code, 201);
  const token = answer.object.status?.['token'] as string;
  const claims = decodeJwt<{ 'kubernetes.io': { pod: { uid: string } } }>(token);
  assert.equal((claims.exp ?? 0) - (claims.iat ?? 0), 600);
  assert.equal(claims.sub, 'system:serviceaccount:default:runner');
  assert.equal(claims['kubernetes.io'].pod.uid, pod.metadata.uid);

  const refused = await running.admin.send('GET', `${SECRETS}/mine`, { token });
  assert.equal(refused.object.message, 'secrets "mine" is forbidden: User "system:serviceaccount:default:runner" cannot get resource "secrets" in API group "" in the namespace "default"');
  const event = auditEvents().filter(({ user }) => user.username === 'system:serviceaccount:default:runner').at(-1);
  assert.deepEqual(event?.user.extra?.['authentication.kubernetes.io/credential-id'], [`JTI=${claims.jti}`]);
  assert.deepEqual(event?.user.extra?.['authentication.kubernetes.io/pod-name'], ['holder']);
  assert.equal(event?.annotations?.['authorization.k8s.io/decision'], 'forbid');
  const issued = auditEvents().filter(({ objectRef }) => objectRef?.subresource === 'token' && objectRef.name === 'runner').at(-1);
  assert.equal(issued?.annotations?.['authentication.kubernetes.io/issued-credential-id'], `JTI=${claims.jti}`);

  await running.admin.send('DELETE', `${pods}/holder`, { body: { gracePeriodSeconds: 0 } });
  assert.equal((await running.admin.send('GET', `${SECRETS}/mine`, { token })).code, 401);
  assert.ok(!readFileSync(running.server.auditLogPath, 'utf8').includes(token));
});

test('foreign tokens, foreign audiences and anonymous requests are 401', async () => {
  const { object } = await running.admin.send('POST', '/api/v1/namespaces/default/serviceaccounts/runner/token', { body: { spec: { audiences: ['elsewhere'] } } });
  for (const token of [object.status?.['token'] as string, 'a.b.c', '']) {
    const answer = await running.admin.send('GET', '/api', { token });
    assert.deepEqual([answer.code, answer.object.message, answer.object.reason], [401, 'Unauthorized', 'Unauthorized']);
  }
  await using foreign = await startTestServer();
  const stranger = new TestClient(foreign.server.adminKubeconfig());
  stranger.config.clusters = running.admin.config.clusters;
  assert.equal((await stranger.send('GET', '/api')).code, 401);
});

test('a write is audited with the resourceVersion that it was based on', async () => {
  const { object } = await running.admin.send('GET', `${SECRETS}/mine`);
  await bob.send('PUT', `${SECRETS}/mine`, { body: { ...object, data: { a: 'YQ==' } } });
  const event = auditEvents().filter(({ verb, user }) => verb === 'update' && user.username === 'bob').at(-1);
  assert.deepEqual(event?.objectRef, { resource: 'secrets', namespace: 'default', name: 'mine', uid: object.metadata.uid, apiVersion: 'v1', resourceVersion: object.metadata.resourceVersion });
  assert.equal(event?.responseStatus?.code, 200);
  assert.equal(event?.requestObject, undefined);
  const stale = await bob.send('PUT', `${SECRETS}/mine`, { body: object });
  assert.equal(stale.code, 409);
  assert.deepEqual([auditEvents().at(-1)?.responseStatus?.code, auditEvents().at(-1)?.responseStatus?.reason], [409, 'Conflict']);
});
