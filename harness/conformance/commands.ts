import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kubectlMissing, type ClusterUnderTest } from './cluster-under-test.ts';
import { PATIENT_PROGRAM, programPodSpec } from './pod-programs.ts';

const missing = await kubectlMissing();

/** The same server through kubectl, as an operator meets it. */
export function checkCommands(cluster: ClusterUnderTest): void {
  const skip = missing ?? false;
  const json = async <Body>(...args: string[]) => JSON.parse(await cluster.kubectl([...args, '-o', 'json'])) as Body;

  test('apply creates, leaves alone, changes and removes what it once set', { skip }, async (context) => {
    const namespace = await cluster.makeNamespace(context);
    const apply = (data: object, ...flags: string[]) =>
      cluster.kubectl(['-n', namespace, 'apply', ...flags, '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data }));
    assert.equal(await apply({ x: '1', y: '1' }), 'configmap/a created\n');
    assert.equal(await apply({ x: '1', y: '1' }), 'configmap/a unchanged\n');
    await cluster.api.patch(`/api/v1/namespaces/${namespace}/configmaps/a`, { data: { z: '3' } });
    assert.equal(await apply({ x: '2' }), 'configmap/a configured\n');
    assert.deepEqual((await json<{ data: object }>('-n', namespace, 'get', 'configmap', 'a')).data, { x: '2', z: '3' });
    assert.equal(await cluster.kubectl(['-n', namespace, 'apply', '--server-side', '--force-conflicts', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b' }, data: { x: '1' } })), 'configmap/b serverside-applied\n');
  });

  test('a roll-out is applied, followed, scaled, looked at and deleted', { skip }, async (context) => {
    const namespace = await cluster.makeNamespace(context);
    const labels = { app: 'a' };
    const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a' }, spec: { replicas: 1, strategy: { type: 'Recreate' }, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: programPodSpec(cluster, PATIENT_PROGRAM, { restartPolicy: 'Always' }) } } };
    await cluster.kubectl(['-n', namespace, 'apply', '-f', '-'], JSON.stringify(deployment));
    assert.match(await cluster.kubectl(['-n', namespace, 'rollout', 'status', 'deployment/a', '--timeout=180s']), /successfully rolled out/);
    assert.match(await cluster.kubectl(['-n', namespace, 'get', 'deployment', 'a']), /NAME\s+READY\s+UP-TO-DATE\s+AVAILABLE\s+AGE\s+a\s+1\/1\s+1\s+1/);
    assert.match(await cluster.kubectl(['-n', namespace, 'logs', 'deployment/a']), /started/);
    assert.match(await cluster.kubectl(['-n', namespace, 'scale', 'deployment/a', '--replicas=0']), /scaled/);
    await cluster.kubectl(['-n', namespace, 'wait', '--for=delete', 'pod', '-l', 'app=a', '--timeout=180s']);
    await cluster.kubectl(['-n', namespace, 'delete', 'deployment', 'a', '--wait']);
    assert.deepEqual((await json<{ items: unknown[] }>('-n', namespace, 'get', 'deployments')).items, []);
  });

  test('secrets, roles and rights are made and asked for', { skip }, async (context) => {
    const namespace = await cluster.makeNamespace(context);
    await cluster.kubectl(['-n', namespace, 'create', 'secret', 'generic', 's', '--from-literal=x=1']);
    await cluster.kubectl(['-n', namespace, 'create', 'role', 'r', '--verb=get', '--resource=secrets']);
    await cluster.kubectl(['-n', namespace, 'create', 'rolebinding', 'r', '--role=r', '--user=somebody']);
    const deadline = Date.now() + 60_000;
    const may = async (verb: string) => (await cluster.kubectl(['-n', namespace, 'auth', 'can-i', verb, 'secrets', '--as=somebody']).catch((error: { stdout: string }) => error.stdout)).trim();
    while ((await may('get')) !== 'yes') assert.ok(Date.now() < deadline, 'the role takes effect in time');
    assert.equal(await may('list'), 'no');
    assert.match(await cluster.kubectl(['-n', namespace, 'describe', 'secret', 's']), /x:\s+1 byte/);
  });

  test('what is served can be discovered and explained', { skip }, async () => {
    const resources = await cluster.kubectl(['api-resources', '--no-headers', '-o', 'name']);
    for (const name of ['pods', 'secrets', 'deployments.apps', 'jobs.batch', 'roles.rbac.authorization.k8s.io', 'networkpolicies.networking.k8s.io', 'storageclasses.storage.k8s.io']) assert.ok(resources.split('\n').includes(name), name);
    assert.match(await cluster.kubectl(['get', 'nodes']), /Ready/);
  });
}
