import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManifestError } from './error.ts';
import { manifestOf, renderManifests } from './render.ts';

const pem = (text: string) => Buffer.from(text);
const job = { job: 'execute-3', commandJson: '{"schemaVersion":1}', adminImage: 'docker.io/library/admin:1', clusterIdentity: 'cluster-1' };

test('the names of the live run are in the files, and a probe may have its own', () => {
  const live = renderManifests('namespaces', {});
  assert.deepEqual(live.map(({ metadata }) => metadata.name), ['ql3-worker-rollout-live', 'ql3-worker-rollout-stage-live', 'ql3-worker-executor-live']);
  const probe = renderManifests('namespaces', { workerNamespace: 'ql3-worker-rollout-probe-live', stageNamespace: 'ql3-worker-rollout-probe-stage-live' });
  assert.deepEqual(probe.map(({ metadata }) => metadata.name).slice(0, 2), ['ql3-worker-rollout-probe-live', 'ql3-worker-rollout-probe-stage-live']);
});

test('the delivery identity reaches exactly one Secret and one Deployment of the worker namespace', () => {
  const objects = renderManifests('credential-admin', { workerNamespace: 'w', stageNamespace: 's', targetSecret: 'token', deployment: 'worker' });
  assert.deepEqual(manifestOf(objects, 'Role', 'ql3-worker-credential-target-admin').rules, [
    { apiGroups: [''], resources: ['secrets'], resourceNames: ['token'], verbs: ['get', 'update'] },
    { apiGroups: ['apps'], resources: ['deployments'], resourceNames: ['worker'], verbs: ['get', 'update'] },
  ]);
  assert.deepEqual(objects.map(({ kind, metadata }) => `${metadata.namespace} ${kind}`), [
    's ServiceAccount', 's Role', 's RoleBinding', 'w Role', 'w RoleBinding', 's Role', 's RoleBinding', 's RoleBinding',
  ]);
  const issuers = ['operator', 'recovery'].map((issuer) => manifestOf(objects, 'RoleBinding', `ql3-worker-credential-token-issuer-${issuer}`));
  assert.deepEqual(issuers.map(({ roleRef, subjects }) => [roleRef.name, subjects?.map(({ kind, name }) => `${kind} ${name}`)]), [
    ['ql3-worker-credential-token-issuer', ['User ql3-worker-credential-operator-live']],
    ['ql3-worker-credential-token-issuer', ['User ql3-worker-credential-recovery-live']],
  ]);
  assert.deepEqual(manifestOf(objects, 'RoleBinding', 'ql3-worker-credential-target-admin').subjects, [
    { kind: 'ServiceAccount', name: 'ql3-worker-credential-admin', namespace: 's' },
  ]);
});

test('both phases use the same volume, the same two Secrets and the same identity of the Pod', () => {
  const given = { workerImage: 'docker.io/library/worker:1', identityGeneration: 'a' };
  const actor = manifestOf(renderManifests('worker-actor', given), 'Deployment').spec;
  const production = manifestOf(renderManifests('worker-production', given), 'Deployment').spec;
  assert.deepEqual(actor?.template.spec?.volumes, production?.template.spec?.volumes);
  assert.deepEqual(actor?.selector, production?.selector);
  assert.equal(production?.strategy?.type, 'Recreate');
  assert.deepEqual(actor?.template.spec?.containers[0]?.command, ['node', '/app/actor.mjs', 'run']);
  const source = production?.template.spec?.volumes?.find(({ name }) => name === 'authority-source')?.projected;
  assert.equal(source?.defaultMode, 0o440);
  assert.deepEqual(source?.sources?.map((entry) => entry.secret?.name), ['ql3-worker-live-identity', 'ql3-worker-live-credential', undefined]);
  const environment = production?.template.spec?.containers[0]?.env ?? [];
  assert.equal(environment.filter(({ name }) => name === 'QL3_WORKER_ID').length, 1);
  assert.equal(environment.find(({ name }) => name === 'QL3_WORKER_HEARTBEAT_INTERVAL_MS')?.value, '5000');
});

test('the executor holds a projected token of 600 s and an immutable command', () => {
  const objects = renderManifests('executor-job', job);
  const spec = manifestOf(objects, 'Job').spec;
  assert.deepEqual([spec?.backoffLimit, spec?.activeDeadlineSeconds, spec?.ttlSecondsAfterFinished], [0, 600, 600]);
  assert.equal(spec?.template.spec?.automountServiceAccountToken, false);
  const token = spec?.template.spec?.volumes?.flatMap(({ projected }) => projected?.sources ?? []).find(({ serviceAccountToken }) => serviceAccountToken);
  assert.equal(token?.serviceAccountToken?.expirationSeconds, 600);
  const command = manifestOf(objects, 'ConfigMap');
  assert.equal(command.immutable, true);
  assert.deepEqual(command.data, { 'command.json': job.commandJson });
});

test('egress is three addresses with a port each, and ports stay numbers', () => {
  const objects = renderManifests('executor-access', {
    pepper: pem('p'), databaseUrl: pem('u'), databaseCa: pem('c'), apiServerCidr: '10.43.0.1/32', apiServerBackendCidr: '172.17.0.2/32', postgresCidr: '172.17.0.3/32',
  });
  const rules = manifestOf(objects, 'NetworkPolicy').spec?.egress ?? [];
  assert.deepEqual(rules.map((rule) => [rule.to?.[0]?.ipBlock?.cidr, rule.ports?.[0]?.port]), [['10.43.0.1/32', 443], ['172.17.0.2/32', 6443], ['172.17.0.3/32', 5432]]);
  assert.equal(manifestOf(objects, 'Secret', 'ql3-worker-credential-executor-pepper').data?.pepper, Buffer.from('p').toString('base64'));
});

test('a value that is missing, unused or in the wrong place is refused by name, never by content', () => {
  const refuse = (code: string, parameters: object) =>
    assert.throws(
      () => renderManifests('executor-job', parameters as typeof job),
      (error) => error instanceof ManifestError && error.code === code && !error.message.includes('{"schemaVersion"'),
    );
  refuse('MANIFEST_PARAMETER_MISSING', { ...job, commandJson: undefined });
  refuse('MANIFEST_PARAMETER_UNUSED', { ...job, comandJson: '{"schemaVersion":1}' });
});

test('a value cannot break out of its place', () => {
  const hostile = 'x"\n  injected: true\n- ${adminImage}';
  const command = manifestOf(renderManifests('executor-job', { ...job, commandJson: hostile }), 'ConfigMap');
  assert.deepEqual(command.data, { 'command.json': hostile });
});
