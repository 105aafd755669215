import type { V1SelfSubjectAccessReview } from '@kubernetes/client-node';
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test, type TestContext } from 'node:test';
import type { ApiConnection, Status } from './api-connection.ts';
import type { ClusterUnderTest } from './cluster-under-test.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';

export function checkAccess(cluster: ClusterUnderTest): void {
  const { api } = cluster;

  async function grant(namespace: string, subject: object, rules: readonly object[], name = 'role'): Promise<void> {
    const path = `${RBAC}/namespaces/${namespace}`;
    await api.create(`${path}/roles`, { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name }, rules });
    const binding = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'RoleBinding', metadata: { name }, roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name }, subjects: [subject] };
    assert.equal((await api.create(`${path}/rolebindings`, binding)).status, 201);
  }
  const user = (name: string) => ({ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name });

  /** Authorisers learn of a new Role by a watch of their own: asks until the answer is yes. */
  async function untilAllowed(connection: ApiConnection, resourceAttributes: object): Promise<void> {
    const deadline = Date.now() + 60_000;
    while (!(await review(connection, resourceAttributes))) assert.ok(Date.now() < deadline, `${JSON.stringify(resourceAttributes)} is allowed in time`);
  }
  async function review(connection: ApiConnection, resourceAttributes: object): Promise<boolean> {
    const { status, body } = await connection.create<V1SelfSubjectAccessReview>('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
      apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec: { resourceAttributes },
    });
    assert.equal(status, 201);
    return body.status?.allowed ?? false;
  }

  test('who has no role is told what was refused, in Kubernetes\' words', async (context) => {
    const namespace = await cluster.makeNamespace(context);
    const nobody = api.as('nobody');
    const refused = async (answer: Promise<{ status: number; body: Status }>, message: string) => {
      const { status, body } = await answer;
      assert.deepEqual([status, body.kind, body.reason, body.message], [403, 'Status', 'Forbidden', message]);
    };
    const path = `/api/v1/namespaces/${namespace}`;
    await refused(nobody.get<Status>(`${path}/secrets`), `secrets is forbidden: User "nobody" cannot list resource "secrets" in API group "" in the namespace "${namespace}"`);
    await refused(nobody.get<Status>(`${path}/secrets/a`), `secrets "a" is forbidden: User "nobody" cannot get resource "secrets" in API group "" in the namespace "${namespace}"`);
    await refused(nobody.create<Status>(`${path}/serviceaccounts/default/token`, {}), `serviceaccounts "default" is forbidden: User "nobody" cannot create resource "serviceaccounts/token" in API group "" in the namespace "${namespace}"`);
    await refused(nobody.delete<Status>(`/apis/apps/v1/namespaces/${namespace}/deployments/a`), `deployments.apps "a" is forbidden: User "nobody" cannot delete resource "deployments" in API group "apps" in the namespace "${namespace}"`);
    await refused(nobody.get<Status>('/api/v1/nodes'), 'nodes is forbidden: User "nobody" cannot list resource "nodes" in API group "" at the cluster scope');
  });

  test('a role gives its verbs on its named objects and nothing beside them', async (context) => {
    const namespace = await cluster.makeNamespace(context);
    const name = `user-${randomBytes(4).toString('hex')}`;
    const path = `/api/v1/namespaces/${namespace}/secrets`;
    for (const secret of ['mine', 'other']) await api.create(path, { apiVersion: 'v1', kind: 'Secret', metadata: { name: secret } });
    await grant(namespace, user(name), [{ apiGroups: [''], resources: ['secrets'], resourceNames: ['mine'], verbs: ['get', 'update'] }]);
    const limited = api.as(name);
    await untilAllowed(limited, { namespace, verb: 'get', resource: 'secrets', name: 'mine' });
    const read = await limited.get(`${path}/mine`);
    assert.deepEqual([read.status, (await limited.replace(`${path}/mine`, read.body)).status], [200, 200]);
    const answers = await Promise.all([
      limited.get(`${path}/other`), limited.get(path), limited.patch(`${path}/mine`, {}), limited.delete(`${path}/mine`), limited.create(path, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'mine' } }),
    ]);
    assert.deepEqual(answers.map(({ status }) => status), [403, 403, 403, 403, 403]);
    assert.deepEqual(await Promise.all(['get', 'update', 'list', 'delete'].map((verb) => review(limited, { namespace, verb, resource: 'secrets', name: 'mine' }))), [true, true, false, false]);
    assert.equal(await review(limited, { namespace: 'default', verb: 'get', resource: 'secrets', name: 'mine' }), false);
    assert.equal(await review(limited, { namespace, verb: 'get', resource: 'secrets', name: 'mine', group: 'apps' }), false);
  });

  test('a subresource is a resource of its own', async (context) => {
    const namespace = await cluster.makeNamespace(context);
    const name = `user-${randomBytes(4).toString('hex')}`;
    await grant(namespace, user(name), [{ apiGroups: [''], resources: ['serviceaccounts/token'], resourceNames: ['default'], verbs: ['create'] }]);
    const limited = api.as(name);
    await untilAllowed(limited, { namespace, verb: 'create', resource: 'serviceaccounts', subresource: 'token', name: 'default' });
    assert.equal(await review(limited, { namespace, verb: 'create', resource: 'serviceaccounts' }), false);
    assert.equal(await review(limited, { namespace, verb: 'create', resource: 'serviceaccounts', subresource: 'token', name: 'other' }), false);
    assert.equal((await limited.get(`/api/v1/namespaces/${namespace}/serviceaccounts/default`)).status, 403);
  });

  test('groups, wildcards and cluster roles count', async (context) => {
    const namespace = await cluster.makeNamespace(context);
    const group = `group-${randomBytes(4).toString('hex')}`;
    await grant(namespace, { apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: group }, [{ apiGroups: ['*'], resources: ['*'], verbs: ['list'] }]);
    const member = api.as('somebody', [group]);
    await untilAllowed(member, { namespace, verb: 'list', group: 'apps', resource: 'deployments' });
    assert.equal(await review(member, { namespace, verb: 'get', group: 'apps', resource: 'deployments' }), false);
    await makeClusterRole(context, group);
    await untilAllowed(member, { verb: 'get', resource: 'nodes' });
    assert.equal((await member.get('/api/v1/nodes/absent')).status, 404);
  });

  async function makeClusterRole(context: TestContext, group: string): Promise<void> {
    const metadata = { name: `conformance-${group}` };
    const meta = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata };
    await api.create(`${RBAC}/clusterroles`, { ...meta, kind: 'ClusterRole', rules: [{ apiGroups: [''], resources: ['nodes'], verbs: ['get'] }] });
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: metadata.name };
    await api.create(`${RBAC}/clusterrolebindings`, { ...meta, kind: 'ClusterRoleBinding', roleRef, subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: group }] });
    context.after(async () => {
      await api.delete(`${RBAC}/clusterrolebindings/${metadata.name}`);
      await api.delete(`${RBAC}/clusterroles/${metadata.name}`);
    });
  }

  test('a foreign token is 401', async () => {
    const foreign = await api.withToken('no-token-of-this-cluster').get<Status>('/api/v1/namespaces/default/secrets');
    assert.deepEqual([foreign.status, foreign.body.reason, foreign.body.message], [401, 'Unauthorized', 'Unauthorized']);
  });
}
