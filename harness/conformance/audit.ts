import type { AuthenticationV1TokenRequest, V1Secret } from '@kubernetes/client-node';
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test, type TestContext } from 'node:test';
import type { ClusterUnderTest } from './cluster-under-test.ts';
import type { Status } from './api-connection.ts';

interface Event {
  readonly kind: string;
  readonly apiVersion: string;
  readonly level: string;
  readonly stage: string;
  readonly auditID: string;
  readonly verb: string;
  readonly requestURI: string;
  readonly user: { readonly username: string; readonly extra?: Readonly<Record<string, readonly string[]>> };
  readonly impersonatedUser?: { readonly username: string };
  readonly objectRef?: { readonly resource: string; readonly namespace?: string; readonly name?: string; readonly subresource?: string; readonly resourceVersion?: string };
  readonly responseStatus?: { readonly code: number; readonly reason?: string; readonly message?: string };
  readonly requestObject?: { readonly spec?: { readonly expirationSeconds?: number; readonly audiences?: readonly string[] | null; readonly resourceAttributes?: object } };
  readonly responseObject?: object;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
}

/** With the policy of `manifests/audit/policy.yaml`. */
export function checkAudit(cluster: ClusterUnderTest): void {
  const { api, source } = cluster;
  const skip = source.readAuditLog ? false : 'the audit log of this cluster cannot be read from here';

  /** An event is written when its answer has been sent, which the client may learn of first. */
  async function untilLogged(expectation: string, matches: (event: Event) => boolean): Promise<Event> {
    const deadline = Date.now() + 60_000;
    for (;;) {
      // the last line may still be being written
      const lines = (await source.readAuditLog?.())?.split('\n').slice(0, -1) ?? [];
      const found = lines.map((line) => JSON.parse(line) as Event).find((event) => event.stage === 'ResponseComplete' && matches(event));
      if (found) return found;
      assert.ok(Date.now() < deadline, `expected an audit event of ${expectation} in time`);
    }
  }
  const isAbout = (event: Event, namespace: string, verb: string, name: string, code: number) =>
    event.verb === verb && event.objectRef?.namespace === namespace && event.objectRef.name === name && event.responseStatus?.code === code;

  async function makeSecret(context: TestContext): Promise<{ namespace: string; path: string; secret: V1Secret }> {
    const namespace = await cluster.makeNamespace(context);
    const path = `/api/v1/namespaces/${namespace}/secrets`;
    const { body: secret } = await api.create<V1Secret>(path, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' }, stringData: { x: 'do-not-log-me' } });
    return { namespace, path, secret };
  }

  test('a write is recorded with its object and its resourceVersion, and never with its body', { skip }, async (context) => {
    const { namespace, path, secret } = await makeSecret(context);
    await api.replace(`${path}/a`, { ...secret, stringData: { y: 'nor-me' } });
    await api.replace<Status>(`${path}/a`, secret);
    const created = await untilLogged('the create', (event) => isAbout(event, namespace, 'create', 'a', 201));
    const replaced = await untilLogged('the replace', (event) => isAbout(event, namespace, 'update', 'a', 200));
    const conflict = await untilLogged('the conflict', (event) => isAbout(event, namespace, 'update', 'a', 409));
    assert.deepEqual([created.kind, created.apiVersion, created.level, created.objectRef?.resource], ['Event', 'audit.k8s.io/v1', 'Metadata', 'secrets']);
    assert.equal(replaced.objectRef?.resourceVersion, secret.metadata?.resourceVersion);
    assert.deepEqual([conflict.objectRef?.resourceVersion, conflict.responseStatus?.reason], [secret.metadata?.resourceVersion, 'Conflict']);
    assert.match(created.requestReceivedTimestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    assert.ok(created.stageTimestamp >= created.requestReceivedTimestamp);
    for (const event of [created, replaced, conflict]) assert.deepEqual([event.requestObject, event.responseObject, event.annotations?.['authorization.k8s.io/decision']], [undefined, undefined, 'allow']);
    assert.doesNotMatch((await source.readAuditLog?.()) ?? '', /do-not-log-me|ZG8tbm90LWxvZy1tZQ/);
  });

  test('who acts as another is recorded as both, and a refusal as such', { skip }, async (context) => {
    const { namespace, path } = await makeSecret(context);
    const name = `user-${randomBytes(4).toString('hex')}`;
    await api.as(name).get(`${path}/a`);
    const event = await untilLogged('the refusal', (event) => isAbout(event, namespace, 'get', 'a', 403));
    assert.equal(event.impersonatedUser?.username, name);
    assert.notEqual(event.user.username, name);
    assert.deepEqual([event.responseStatus?.reason, event.annotations?.['authorization.k8s.io/decision']], ['Forbidden', 'forbid']);
    if (cluster.has('audit-status-message')) assert.match(event.responseStatus?.message ?? '', /is forbidden: User/);
  });

  test('an access review is recorded with question and answer', { skip }, async () => {
    const name = `user-${randomBytes(4).toString('hex')}`;
    const resourceAttributes = { namespace: 'default', verb: 'get', resource: 'secrets', name };
    await api.as(name).create('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec: { resourceAttributes } });
    const event = await untilLogged('the review', (event) => event.impersonatedUser?.username === name);
    assert.equal(event.level, 'RequestResponse');
    assert.deepEqual(event.requestObject?.spec, { resourceAttributes });
    assert.equal((event.responseObject as { status?: { allowed?: boolean } }).status?.allowed, false);
  });

  test('a TokenRequest is recorded with its question and without the token, and the token\'s use under its account', { skip }, async (context) => {
    const namespace = await cluster.makeNamespace(context);
    const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
    await api.create(accounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'a' } });
    const { body } = await api.create<AuthenticationV1TokenRequest>(`${accounts}/a/token`, { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 700 } });
    await api.create(`${accounts}/a/token`, { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { audiences: ['elsewhere'] } });
    const token = body.status?.token ?? '';
    await api.withToken(token).get(`/api/v1/namespaces/${namespace}/secrets/probe`);
    const request = await untilLogged('the TokenRequest', (event) => isAbout(event, namespace, 'create', 'a', 201) && event.objectRef?.subresource === 'token');
    assert.deepEqual([request.objectRef?.resource, request.level, request.responseObject], ['serviceaccounts', 'Request', undefined]);
    if (cluster.has('audit-subresource-body')) {
      assert.equal(request.requestObject?.spec?.expirationSeconds, 700);
      const byDefault = await untilLogged('the TokenRequest without a lifetime', (event) => isAbout(event, namespace, 'create', 'a', 201) && event.requestObject?.spec?.audiences?.[0] === 'elsewhere');
      assert.equal(byDefault.requestObject?.spec?.expirationSeconds, 3600);
    }
    const used = await untilLogged('its use', (event) => isAbout(event, namespace, 'get', 'probe', 403));
    assert.equal(used.user.username, `system:serviceaccount:${namespace}:a`);
    if (cluster.has('token-credential-id')) {
      const { jti } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { jti: string };
      assert.deepEqual(used.user.extra?.['authentication.kubernetes.io/credential-id'], [`JTI=${jti}`]);
    }
    assert.ok(!((await source.readAuditLog?.()) ?? '').includes(token));
  });
}
