import { KubeConfig } from '@kubernetes/client-node';
import { CONTRACT_NAMES as NAMES } from '../../../evidence/contract-names.ts';
import { impersonate } from '../../cluster/clients.ts';
import { requestRaw } from '../../cluster/raw-request.ts';
import { toClusterError } from '../apply.ts';
import type { ContractContext } from '../context.ts';
import { recordProbe } from './record-probe.ts';

interface ForbiddenRequest {
  readonly verb: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/** Each of the three identities asks for one thing that it must not have. */
export async function probeForbiddenRequests(context: ContractContext): Promise<void> {
  const { workerNamespace, stageNamespace, executorNamespace, targetSecret, identitySecret } = NAMES;
  await attempt(context, 'issuer-forbidden-verb', async () => impersonate(context.cluster.config, NAMES.issuerUser), { verb: 'get', resource: 'secrets', namespace: workerNamespace, name: targetSecret });
  await attempt(context, 'delivery-forbidden-verb', () => asServiceAccount(context, stageNamespace, NAMES.deliveryServiceAccount), { verb: 'get', resource: 'secrets', namespace: workerNamespace, name: identitySecret });
  await attempt(context, 'executor-forbidden-verb', () => asServiceAccount(context, executorNamespace, NAMES.executorServiceAccount), { verb: 'get', resource: 'secrets', namespace: workerNamespace, name: targetSecret });
}

/** The token that the attempt needs is made within it: nobody else has one made for these accounts. */
async function attempt(context: ContractContext, probe: 'issuer-forbidden-verb' | 'delivery-forbidden-verb' | 'executor-forbidden-verb', become: () => Promise<KubeConfig>, asked: ForbiddenRequest): Promise<void> {
  await recordProbe(context, probe, `${asked.verb} ${asked.resource} ${asked.namespace}/${asked.name}`, async () => {
    const { status } = await requestRaw(await become(), 'GET', `/api/v1/namespaces/${asked.namespace}/${asked.resource}/${asked.name}`, context.signal);
    return { outcome: status === 403 ? 'refused' : 'answered', facts: { ...asked, status } };
  });
}

/** The cluster as a ServiceAccount sees it, with a token of its own that lives for ten minutes. */
async function asServiceAccount(context: ContractContext, namespace: string, name: string): Promise<KubeConfig> {
  const cluster = context.cluster.config.getCurrentCluster();
  if (cluster === null) throw new TypeError('expected a kubeconfig with a current cluster');
  try {
    const { status } = await context.cluster.core.createNamespacedServiceAccountToken({
      namespace,
      name,
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { audiences: [], expirationSeconds: 600 } },
    });
    const config = new KubeConfig();
    config.loadFromOptions({ clusters: [cluster], users: [{ name, token: status?.token }], contexts: [{ name, cluster: cluster.name, user: name }], currentContext: name });
    return config;
  } catch (error) {
    throw toClusterError(`create a token for ServiceAccount ${namespace}/${name}`, error);
  }
}
