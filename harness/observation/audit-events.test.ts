import assert from 'node:assert/strict';
import { test } from 'node:test';
import { concernsRun, parseAuditLog } from './audit-events.ts';

const put = {
  kind: 'Event',
  auditID: 'a1',
  stage: 'ResponseComplete',
  verb: 'update',
  user: { username: 'system:serviceaccount:stage:admin', extra: { 'authentication.kubernetes.io/credential-id': ['JTI=1'], 'authentication.kubernetes.io/pod-name': ['p'] } },
  objectRef: { resource: 'secrets', namespace: 'run', name: 'target', resourceVersion: '41', apiVersion: 'v1' },
  responseStatus: { code: 409, reason: 'Conflict' },
  requestReceivedTimestamp: '2026-01-01T00:00:00.000001Z',
  stageTimestamp: '2026-01-01T00:00:00.000002Z',
};
const review = {
  ...put,
  auditID: 'a2',
  verb: 'create',
  objectRef: { resource: 'selfsubjectaccessreviews', apiGroup: 'authorization.k8s.io', apiVersion: 'v1' },
  responseStatus: { code: 201 },
  requestObject: { spec: { resourceAttributes: { verb: 'get', resource: 'secrets', namespace: 'run', name: 'target' } } },
  responseObject: { status: { allowed: false } },
};

test('a replace keeps the resourceVersion that it carried, its answer and who made it', () => {
  const [event] = parseAuditLog(`${JSON.stringify(put)}\n`);
  assert.equal(event?.resourceVersion, '41');
  assert.equal(event?.code, 409);
  assert.equal(event?.credentialId, 'JTI=1');
  assert.equal(event?.accessReview, null);
});

test('an access review keeps what was asked and what was answered', () => {
  const [event] = parseAuditLog(`${JSON.stringify(review)}\n`);
  assert.deepEqual(event?.accessReview, { verb: 'get', group: '', resource: 'secrets', subresource: '', namespace: 'run', name: 'target', allowed: false });
});

test('a TokenRequest keeps what was asked for, where that was written down', () => {
  const token = { ...put, verb: 'create', objectRef: { ...put.objectRef, resource: 'serviceaccounts', subresource: 'token' } };
  const spec = { expirationSeconds: 600, audiences: null, boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'p', uid: 'u1' } };
  const [written, silent] = parseAuditLog(`${JSON.stringify({ ...token, requestObject: { spec, status: { token: '' } } })}\n${JSON.stringify(token)}\n`);
  assert.deepEqual(written?.tokenRequest, { expirationSeconds: 600, audiences: [], boundPodUid: 'u1' });
  assert.equal(silent !== undefined && 'tokenRequest' in silent, false);
});

test('a last line that is still being written is left for the next reading', () => {
  const line = JSON.stringify(put);
  assert.equal(parseAuditLog(`${line}\n${line.slice(0, 40)}`).length, 1);
});

test('events of other namespaces do not concern the run, access reviews always do', () => {
  const [own, asked] = parseAuditLog(`${JSON.stringify(put)}\n${JSON.stringify(review)}\n`);
  assert.ok(own !== undefined && asked !== undefined);
  assert.equal(concernsRun(own, new Set(['run'])), true);
  assert.equal(concernsRun(own, new Set(['other'])), false);
  assert.equal(concernsRun(asked, new Set(['other'])), true);
});
