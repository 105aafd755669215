import type { AuthenticationV1TokenRequest, V1ServiceAccount } from '@kubernetes/client-node';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Answer, Status } from './api-connection.ts';
import type { ClusterUnderTest } from './cluster-under-test.ts';
import { PATIENT_PROGRAM, programPod } from './pod-programs.ts';
import { WatchStream } from './watch-stream.ts';

interface Claims {
  readonly sub: string;
  readonly iss: string;
  readonly aud: readonly string[];
  readonly iat: number;
  readonly nbf: number;
  readonly exp: number;
  readonly jti?: string;
  readonly 'kubernetes.io': { readonly namespace: string; readonly serviceaccount: { readonly name: string; readonly uid: string }; readonly pod?: { readonly name: string; readonly uid: string } };
}

export function checkTokens(cluster: ClusterUnderTest): void {
  const { api } = cluster;

  async function makeAccount(namespace: string): Promise<V1ServiceAccount> {
    return (await api.create<V1ServiceAccount>(`/api/v1/namespaces/${namespace}/serviceaccounts`, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'a' } })).body;
  }
  const requestToken = <Body = AuthenticationV1TokenRequest>(namespace: string, spec: object): Promise<Answer<Body>> =>
    api.create<Body>(`/api/v1/namespaces/${namespace}/serviceaccounts/a/token`, { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec });
  const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Claims;
  /** 403 for a token that the server takes, 401 for one that it does not. */
  const useToken = async (token: string, namespace: string) => await api.withToken(token).get<Status>(`/api/v1/namespaces/${namespace}/secrets`);
  async function untilRefused(token: string, namespace: string): Promise<void> {
    const deadline = Date.now() + 60_000; // a server may keep its verdict on a token for some seconds
    while ((await useToken(token, namespace)).status !== 401) assert.ok(Date.now() < deadline, 'the token is refused in time');
  }

  test('a requested token says whose it is, for whom and for how long, and is that account', async (context) => {
    const namespace = await cluster.makeNamespace(context);
    const account = await makeAccount(namespace);
    const { status, body } = await requestToken(namespace, { expirationSeconds: 600 });
    assert.deepEqual([status, body.kind], [201, 'TokenRequest']);
    const token = body.status?.token ?? '';
    const claims = claimsOf(token);
    assert.equal(claims.sub, `system:serviceaccount:${namespace}:a`);
    assert.equal(claims.exp, Date.parse(String(body.status?.expirationTimestamp)) / 1000);
    assert.equal(claims.exp - claims.iat, 600);
    assert.equal(claims.nbf, claims.iat);
    assert.deepEqual(claims['kubernetes.io'], { namespace, serviceaccount: { name: 'a', uid: account.metadata?.uid } });
    assert.deepEqual(claims.aud, body.spec?.audiences);
    assert.equal(typeof claims.jti, cluster.has('token-credential-id') ? 'string' : 'undefined');
    const header = JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()) as { alg: string };
    assert.match(header.alg, /^(RS|ES)(256|384|512)$/);
    const used = await useToken(token, namespace);
    assert.equal(used.status, 403);
    assert.match(used.body.message ?? '', new RegExp(`User "system:serviceaccount:${namespace}:a" cannot list`));
  });

  test('a lifetime under ten minutes is refused', async (context) => {
    const namespace = await cluster.makeNamespace(context);
    await makeAccount(namespace);
    const answer = await requestToken<Status>(namespace, { expirationSeconds: 599 });
    assert.deepEqual([answer.status, answer.body.reason, answer.body.details?.causes?.[0]?.field], [422, 'Invalid', 'spec.expirationSeconds']);
  });

  test('a token for another audience, and one that was tampered with, are not taken', async (context) => {
    const namespace = await cluster.makeNamespace(context);
    await makeAccount(namespace);
    const other = (await requestToken(namespace, { audiences: ['somebody-else'] })).body;
    assert.deepEqual(claimsOf(other.status?.token ?? '').aud, ['somebody-else']);
    assert.equal((await useToken(other.status?.token ?? '', namespace)).status, 401);
    const [header, payload, signature] = ((await requestToken(namespace, {})).body.status?.token ?? '').split('.');
    const forged = Buffer.from(JSON.stringify({ ...claimsOf(`.${payload}.`), sub: 'system:serviceaccount:kube-system:admin' })).toString('base64url');
    assert.equal((await useToken(`${header}.${forged}.${signature}`, namespace)).status, 401);
  });

  test('a token ends with its account', async (context) => {
    const namespace = await cluster.makeNamespace(context);
    await makeAccount(namespace);
    const token = (await requestToken(namespace, {})).body.status?.token ?? '';
    assert.equal((await useToken(token, namespace)).status, 403);
    await api.delete(`/api/v1/namespaces/${namespace}/serviceaccounts/a`);
    await makeAccount(namespace);
    await untilRefused(token, namespace);
  });

  test('a token that is bound to a Pod names it and ends with it', async (context) => {
    const namespace = await cluster.makeNamespace(context);
    await makeAccount(namespace);
    const path = `/api/v1/namespaces/${namespace}/pods`;
    assert.equal((await api.create(path, programPod(cluster, 'bound', PATIENT_PROGRAM, { serviceAccountName: 'a' }))).status, 201);
    const pod = (await api.get(`${path}/bound`)).body;
    const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', name: 'bound', uid: pod.metadata?.uid };
    const token = (await requestToken(namespace, { boundObjectRef })).body.status?.token ?? '';
    const bound = claimsOf(token)['kubernetes.io'].pod;
    assert.deepEqual([bound?.name, bound?.uid], ['bound', pod.metadata?.uid]);
    assert.equal((await useToken(token, namespace)).status, 403);
    using watch = await WatchStream.open(api, path);
    await api.delete(`${path}/bound`, { gracePeriodSeconds: 0 });
    await watch.untilDeleted('bound');
    await untilRefused(token, namespace);
    const foreign = await requestToken<Status>(namespace, { boundObjectRef: { ...boundObjectRef, uid: '00000000-0000-4000-8000-000000000000' } });
    assert.ok([404, 409].includes(foreign.status), `a Pod that is not there cannot be bound: ${foreign.status}`);
  });
}
