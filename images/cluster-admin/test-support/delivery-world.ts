import { randomBytes, randomUUID } from 'node:crypto';
import { createCredentialToken, parseCredentialToken, secretDigest, tokenDigest } from '../../core/credential-token.ts';
import type { DeliveryIntent } from '../../core/delivery.ts';
import { resolveDeliveryTarget, type DeliveryTarget, type DeliveryTargetOptions } from '../src/delivery/delivery-target.ts';
import { openApiConnection, type ApiConnection } from '../src/kubernetes/api-connection.ts';
import { isConflict, isNotFound } from '../src/kubernetes/api-error.ts';
import type { Deployment, Secret } from '../src/kubernetes/api-objects.ts';
import type { ClusterAccess } from '../src/kubernetes/cluster-access.ts';
import type { TestCluster } from './test-cluster.ts';
import { waitForObject } from './wait-for-object.ts';

const DELIVERY_ACCOUNT = 'ql3-worker-credential-admin';
const IDENTITY_SECRET = 'ql3-worker-identity';

/** Two fresh namespaces with a prepared target Secret, a Worker Deployment, and the roles of issuer and delivery. */
export interface DeliveryWorld extends AsyncDisposable {
  readonly options: DeliveryTargetOptions;
  readonly target: DeliveryTarget;
  readonly admin: ApiConnection;
  /** May create a token for the delivery account and nothing else. */
  readonly issuer: ClusterAccess;
  readonly serviceAccountName: string;
  readonly identitySecretName: string;
  targetSecret(): Promise<Secret>;
  deployment(): Promise<Deployment>;
  stageSecrets(): Promise<readonly Secret[]>;
  /** Makes the target Secret prepared and the Deployment's template blank again. */
  reset(): Promise<void>;
}

export async function createDeliveryWorld(cluster: TestCluster): Promise<DeliveryWorld> {
  const options = chooseTarget();
  const admin = openApiConnection(cluster.admin);
  const issuerUser = `issuer-${options.namespace}`;
  const world: DeliveryWorld = {
    options,
    target: resolveDeliveryTarget(options),
    admin,
    issuer: { ...cluster.admin, impersonateUser: issuerUser },
    serviceAccountName: DELIVERY_ACCOUNT,
    identitySecretName: IDENTITY_SECRET,
    targetSecret: () => get(admin, targetSecretPath(options)),
    deployment: () => get(admin, deploymentPath(options)),
    async stageSecrets() {
      const { items } = await get<{ items: Secret[] }>(admin, `${namespacePath(options.stageNamespace)}/secrets`);
      return items.filter((secret) => secret.metadata.name.startsWith('ql3w-stage-'));
    },
    async reset() {
      await remove(admin, deploymentPath(options));
      await remove(admin, targetSecretPath(options));
      for (const { metadata } of await world.stageSecrets()) {
        await remove(admin, `${namespacePath(options.stageNamespace)}/secrets/${metadata.name}`);
      }
      await createTarget(cluster, admin, options);
    },
    async [Symbol.asyncDispose]() {
      for (const namespace of [options.namespace, options.stageNamespace]) await remove(admin, namespacePath(namespace));
      admin.dispose();
    },
  };
  await createNamespaces(admin, options);
  await createRoles(admin, options, issuerUser);
  await createTarget(cluster, admin, options);
  return world;
}

/** An intent for this world and the token that belongs to it. */
export function draftDelivery(
  world: DeliveryWorld,
  credentialId: string,
  previousCredentialId: string | null = null,
): { intent: DeliveryIntent; token: Buffer } {
  const token = createCredentialToken(credentialId);
  const intent: DeliveryIntent = {
    deliveryId: randomUUID(),
    workerId: 'worker-1',
    credentialId,
    credentialVersion: 1,
    previousCredentialId,
    secretDigest: secretDigest(randomBytes(32), credentialId, parseCredentialToken(token).secret),
    tokenDigest: tokenDigest(token),
    deploymentTargetDigest: world.target.digest,
    deploymentGeneration: `generation-${credentialId}`,
    stagedAtMs: Date.now(),
  };
  return { intent, token };
}

function chooseTarget(): DeliveryTargetOptions {
  const namespace = `ql3-test-${randomBytes(4).toString('hex')}`;
  return withUsableIdentity({
    stageNamespace: `${namespace}-stage`,
    namespace,
    targetSecretName: 'ql3-worker-credential',
    targetDeploymentName: 'ql3-worker',
  });
}

/** Some cluster identities give a digest that is no label value; operators are told to choose another one. */
export function withUsableIdentity(names: Omit<DeliveryTargetOptions, 'clusterIdentity'>): DeliveryTargetOptions {
  for (let attempt = 0; ; attempt += 1) {
    const options = { ...names, clusterIdentity: `test:${attempt}` };
    try {
      resolveDeliveryTarget(options);
      return options;
    } catch (error) {
      if (attempt > 50) throw error;
    }
  }
}

async function createNamespaces(admin: ApiConnection, { namespace, stageNamespace }: DeliveryTargetOptions): Promise<void> {
  for (const name of [namespace, stageNamespace]) {
    await create(admin, '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }
  await create(admin, `${namespacePath(stageNamespace)}/serviceaccounts`, {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: DELIVERY_ACCOUNT, namespace: stageNamespace },
    automountServiceAccountToken: false,
  });
}

async function createRoles(admin: ApiConnection, options: DeliveryTargetOptions, issuerUser: string): Promise<void> {
  const { namespace, stageNamespace, targetSecretName, targetDeploymentName } = options;
  const account = { kind: 'ServiceAccount', name: DELIVERY_ACCOUNT, namespace: stageNamespace };
  const issuer = { kind: 'User', name: issuerUser, apiGroup: 'rbac.authorization.k8s.io' };
  await bindRole(admin, stageNamespace, 'ql3-worker-credential-stage-admin', account, [
    { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list', 'create', 'delete'] },
  ]);
  await bindRole(admin, stageNamespace, 'ql3-worker-credential-token-issuer', issuer, [
    { apiGroups: [''], resources: ['serviceaccounts/token'], resourceNames: [DELIVERY_ACCOUNT], verbs: ['create'] },
  ]);
  await bindRole(admin, namespace, 'ql3-worker-credential-target-admin', account, [
    { apiGroups: [''], resources: ['secrets'], resourceNames: [targetSecretName], verbs: ['get', 'update'] },
    { apiGroups: ['apps'], resources: ['deployments'], resourceNames: [targetDeploymentName], verbs: ['get', 'update'] },
  ]);
}

/** Binds a role to a subject, as an operator's manifest does. */
export async function bindRole(admin: ApiConnection, namespace: string, name: string, subject: object, rules: object[]): Promise<void> {
  const group = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`;
  const metadata = { name, namespace };
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  await create(admin, `${group}/roles`, { apiVersion, kind: 'Role', metadata, rules });
  await create(admin, `${group}/rolebindings`, {
    apiVersion,
    kind: 'RoleBinding',
    metadata,
    subjects: [subject],
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
  });
}

async function createTarget(cluster: TestCluster, admin: ApiConnection, options: DeliveryTargetOptions): Promise<void> {
  const { namespace, targetSecretName } = options;
  await create(admin, `${namespacePath(namespace)}/secrets`, {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'Opaque',
    metadata: { name: targetSecretName, namespace, labels: { 'qinglong.io/worker-credential-target': 'prepared-v3', team: 'edge' } },
  });
  await create(admin, `/apis/apps/v1/namespaces/${namespace}/deployments`, workerDeployment(options));
  await waitForSettledDeployment(cluster, options);
}

/** A deployment controller writes the status once after each change; only then does the resourceVersion rest. */
export async function waitForSettledDeployment(cluster: TestCluster, options: DeliveryTargetOptions): Promise<void> {
  if (!cluster.hasControllers) return;
  const path = `/apis/apps/v1/namespaces/${options.namespace}/deployments`;
  await waitForObject(cluster.admin, path, options.targetDeploymentName, (deployment) => {
    const { metadata, status } = deployment as { metadata: { generation: number }; status?: { observedGeneration?: number; conditions?: unknown[] } };
    return status?.observedGeneration === metadata.generation && (status.conditions ?? []).length > 0;
  });
}

/** Paused, so that no Pod is ever made of it. */
function workerDeployment({ namespace, targetDeploymentName, targetSecretName }: DeliveryTargetOptions): object {
  const labels = { 'app.kubernetes.io/component': 'worker', 'app.kubernetes.io/name': 'ql3-worker' };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: targetDeploymentName, namespace, labels },
    spec: {
      paused: true,
      replicas: 1,
      strategy: { type: 'Recreate' },
      selector: { matchLabels: labels },
      template: {
        metadata: { labels, annotations: { 'example.com/kept': 'yes' } },
        spec: {
          automountServiceAccountToken: false,
          containers: [{ name: 'worker', image: 'ql3-worker:test', imagePullPolicy: 'Never' }],
          volumes: [
            {
              name: 'authority',
              projected: { sources: [{ secret: { name: targetSecretName, items: [{ key: 'credential-token', path: 'credential-token' }] } }] },
            },
          ],
        },
      },
    },
  };
}

/** Reads an object, changes it and replaces it as the administrator; a controller's status write in between is read again. */
export async function edit<T extends { metadata: unknown }>(admin: ApiConnection, path: string, change: (object: T) => T): Promise<T> {
  for (;;) {
    try {
      return (await admin.call({ method: 'PUT', path, body: change(await get<T>(admin, path)), operation: `PUT ${path}` })) as T;
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
  }
}

export function targetSecretPath({ namespace, targetSecretName }: DeliveryTargetOptions): string {
  return `${namespacePath(namespace)}/secrets/${targetSecretName}`;
}

export function deploymentPath({ namespace, targetDeploymentName }: DeliveryTargetOptions): string {
  return `/apis/apps/v1/namespaces/${namespace}/deployments/${targetDeploymentName}`;
}

export function namespacePath(namespace: string): string {
  return `/api/v1/namespaces/${namespace}`;
}

async function get<T>(admin: ApiConnection, path: string): Promise<T> {
  return (await admin.call({ method: 'GET', path, operation: `GET ${path}` })) as T;
}

async function create(admin: ApiConnection, path: string, body: object): Promise<void> {
  await admin.call({ method: 'POST', path, body, operation: `POST ${path}` });
}

async function remove(admin: ApiConnection, path: string): Promise<void> {
  try {
    await admin.call({ method: 'DELETE', path, operation: `DELETE ${path}` });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
