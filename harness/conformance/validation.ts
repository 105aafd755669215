import type { V1Deployment, V1PersistentVolumeClaim, V1RoleBinding } from '@kubernetes/client-node';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Answer, Status } from './api-connection.ts';
import type { ClusterUnderTest } from './cluster-under-test.ts';
import { pausedDeployment } from './sample-objects.ts';

export function checkValidation(cluster: ClusterUnderTest): void {
  const { api } = cluster;
  const fieldsOf = ({ body }: Answer<Status>) => body.details?.causes?.map(({ field }) => field) ?? [];

  test('with strict validation an unknown and a doubled field are refused, and named', async (context) => {
    const path = `/api/v1/namespaces/${await cluster.makeNamespace(context)}/configmaps`;
    const unknown = await api.create<Status>(path, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, dta: {} }, { fieldValidation: 'Strict' });
    const doubled = await api.send<Status>('POST', path, { body: '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b"},"data":{"x":"1","x":"2"}}', query: { fieldValidation: 'Strict' } });
    if (!cluster.has('strict-field-validation')) return assert.deepEqual([unknown.status, doubled.status], [201, 201]);
    assert.deepEqual([unknown.status, unknown.body.reason, doubled.status], [400, 'BadRequest', 400]);
    assert.match(unknown.body.message ?? '', /strict decoding error: unknown field "dta"/);
    assert.match(doubled.body.message ?? '', /duplicate field "data\.x"/);
    assert.equal((await api.create(path, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, dta: {} }, { fieldValidation: 'Ignore' })).status, 201);
  });

  test('a body that is no object of the kind is a bad request', async (context) => {
    const path = `/apis/apps/v1/namespaces/${await cluster.makeNamespace(context)}/deployments`;
    const send = (body: unknown) => api.send<Status>('POST', path, { body });
    for (const answer of await Promise.all([send('{"apiVersion":'), send({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }), send({ ...pausedDeployment('a'), spec: { ...pausedDeployment('a').spec, replicas: 'one' } })])) {
      assert.deepEqual([answer.status, answer.body.reason], [400, 'BadRequest'], JSON.stringify(answer.body));
    }
  });

  test('a Deployment selects its own Pods, by a selector that never changes', async (context) => {
    const path = `/apis/apps/v1/namespaces/${await cluster.makeNamespace(context)}/deployments`;
    const wrong = pausedDeployment('a');
    wrong.spec!.selector = { matchLabels: { app: 'other' } };
    const mismatch = await api.create<Status>(path, wrong);
    assert.deepEqual([mismatch.status, fieldsOf(mismatch)], [422, ['spec.template.metadata.labels']]);
    await api.create(path, pausedDeployment('a'));
    const more = { more: 'x' };
    const changed = await api.patch<Status>(`${path}/a`, { spec: { selector: { matchLabels: more }, template: { metadata: { labels: more } } } });
    assert.deepEqual([changed.status, fieldsOf(changed)], [422, ['spec.selector']]);
    assert.match(changed.body.message ?? '', /field is immutable/);
  });

  test('Recreate leaves no room for rollingUpdate', async (context) => {
    const path = `/apis/apps/v1/namespaces/${await cluster.makeNamespace(context)}/deployments`;
    const deployment = pausedDeployment('a');
    deployment.spec!.strategy = { type: 'Recreate', rollingUpdate: { maxSurge: 1 } };
    const answer = await api.create<Status>(path, deployment);
    assert.deepEqual([answer.status, fieldsOf(answer)], [422, ['spec.strategy.rollingUpdate']]);
    assert.match(answer.body.message ?? '', /may not be specified when strategy `type` is 'Recreate'/);
  });

  test('defaults are filled in', async (context) => {
    const path = `/apis/apps/v1/namespaces/${await cluster.makeNamespace(context)}/deployments`;
    const { body } = await api.create<V1Deployment>(path, { ...pausedDeployment('a'), spec: { ...pausedDeployment('a').spec, replicas: undefined, strategy: undefined, paused: true } });
    const pod = body.spec?.template.spec;
    assert.deepEqual([body.spec?.replicas, body.spec?.strategy?.type, body.spec?.revisionHistoryLimit, body.spec?.progressDeadlineSeconds], [1, 'RollingUpdate', 10, 600]);
    assert.deepEqual([pod?.restartPolicy, pod?.dnsPolicy, pod?.terminationGracePeriodSeconds, pod?.schedulerName], ['Always', 'ClusterFirst', 30, 'default-scheduler']);
    assert.deepEqual([pod?.containers[0]?.imagePullPolicy, pod?.containers[0]?.terminationMessagePath], ['IfNotPresent', '/dev/termination-log']);
  });

  test('Pods are checked: containers, volumes and their mounts', async (context) => {
    const path = `/api/v1/namespaces/${await cluster.makeNamespace(context)}/pods`;
    const pod = (spec: object) => api.create<Status>(path, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec });
    const container = { name: 'main', image: 'example.invalid/none:1' };
    assert.deepEqual(fieldsOf(await pod({ containers: [] })), ['spec.containers']);
    assert.deepEqual(fieldsOf(await pod({ containers: [{ name: 'main' }] })), ['spec.containers[0].image']);
    assert.deepEqual(fieldsOf(await pod({ containers: [container, container] })), ['spec.containers[1].name']);
    assert.deepEqual(fieldsOf(await pod({ containers: [{ ...container, volumeMounts: [{ name: 'x', mountPath: '/x' }] }] })), ['spec.containers[0].volumeMounts[0].name']);
    assert.deepEqual(fieldsOf(await pod({ containers: [container], restartPolicy: 'Sometimes' })), ['spec.restartPolicy']);
  });

  test('labels and annotations are checked', async (context) => {
    const path = `/api/v1/namespaces/${await cluster.makeNamespace(context)}/configmaps`;
    const create = (metadata: object) => api.create<Status>(path, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', ...metadata } });
    assert.deepEqual(fieldsOf(await create({ labels: { x: 'no spaces' } })), ['metadata.labels']);
    assert.deepEqual(fieldsOf(await create({ labels: { '-x': 'y' } })), ['metadata.labels']);
    assert.equal((await create({ annotations: { x: 'any text at all: {}' } })).status, 201);
  });

  test('a RoleBinding keeps its role, a claim its spec, a Job its template', async (context) => {
    const namespace = await cluster.makeNamespace(context);
    const bindings = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/rolebindings`;
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'one' };
    const { body: binding } = await api.create<V1RoleBinding>(bindings, { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'RoleBinding', metadata: { name: 'a' }, roleRef, subjects: [] });
    const rebound = await api.replace<Status>(`${bindings}/a`, { ...binding, roleRef: { ...roleRef, name: 'two' } });
    assert.equal(rebound.status, 422);
    assert.match(rebound.body.message ?? '', /cannot change roleRef/);
    const claims = `/api/v1/namespaces/${namespace}/persistentvolumeclaims`;
    await api.create<V1PersistentVolumeClaim>(claims, { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'a' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } } });
    const reclaimed = await api.patch<Status>(`${claims}/a`, { spec: { accessModes: ['ReadWriteMany'] } });
    assert.deepEqual([reclaimed.status, fieldsOf(reclaimed)], [422, ['spec']]);
  });
}
