import { CoreV1Api, type KubeConfig } from '@kubernetes/client-node';
import { requestRaw } from '../../cluster/raw-request.ts';
import { ObjectWatch } from '../../cluster/object-watch.ts';
import type { ObservedObject } from '../../../evidence/observation.ts';
import type { ClusterAccess } from '../substrate.ts';
import { pollUntil } from './poll-until.ts';

/**
 * The API server takes the run's objects: it is ready, and a volume claim gets its class when it is created. How Pods reach it is
 * known by then.
 */
export async function untilTakesObjects(config: KubeConfig, deadlineMs: number, signal: AbortSignal): Promise<ClusterAccess['apiServer']> {
  const ready = { fault: 'CLUSTER_NOT_READY', everyMs: 100, deadlineMs, signal } as const;
  await pollUntil(() => isReadyz(config, signal), { ...ready, expectation: 'the API server to be ready (/readyz)' });
  const [apiServer] = await Promise.all([
    pollUntil(() => apiServerAccess(config), { ...ready, expectation: 'the Service kubernetes to have an address and an endpoint' }),
    untilSeen({ config, deadlineMs, signal }, '/apis/storage.k8s.io/v1/storageclasses', 'storage.k8s.io/v1', 'StorageClass', 'a default StorageClass', isDefaultClass),
  ]);
  return apiServer;
}

/** Ready is what the API shows, not what a log line says: the node, and what the controllers make for Pods, accounts and the CA. */
export async function untilReady(config: KubeConfig, deadlineMs: number, signal: AbortSignal): Promise<void> {
  const seen = { config, deadlineMs, signal };
  await Promise.all([
    untilSeen(seen, '/api/v1/nodes', 'v1', 'Node', 'a node that is Ready', isNodeReady),
    untilSeen(seen, '/api/v1/namespaces/default/configmaps', 'v1', 'ConfigMap', 'the ConfigMap kube-root-ca.crt', ({ metadata }) => metadata.name === 'kube-root-ca.crt'),
    untilSeen(seen, '/api/v1/namespaces/default/serviceaccounts', 'v1', 'ServiceAccount', 'the ServiceAccount default', ({ metadata }) => metadata.name === 'default'),
  ]);
}

/** How Pods reach the API server: the Service's address, and the one that it is translated to before egress is judged. */
async function apiServerAccess(config: KubeConfig): Promise<ClusterAccess['apiServer']> {
  const core = config.makeApiClient(CoreV1Api);
  const where = { namespace: 'default', name: 'kubernetes' };
  const [service, endpoints] = await Promise.all([core.readNamespacedService(where), core.readNamespacedEndpoints(where)]);
  const [subset] = endpoints.subsets ?? [];
  const [address, port, serviceIp, servicePort] = [subset?.addresses?.[0]?.ip, subset?.ports?.[0]?.port, service.spec?.clusterIP, service.spec?.ports?.[0]?.port];
  if (!address || !port || !serviceIp || !servicePort) throw new TypeError(`address ${serviceIp}:${servicePort}, endpoint ${address}:${port}`);
  return { serviceCidr: `${serviceIp}/32`, servicePort, backendCidr: `${address}/32`, backendPort: port };
}

async function isReadyz(config: KubeConfig, signal: AbortSignal): Promise<true | undefined> {
  const { status, text } = await requestRaw(config, 'GET', '/readyz', signal);
  if (status !== 200) throw new Error(`/readyz: ${status} ${text.slice(0, 300)}`);
  return true;
}

interface Patience {
  readonly config: KubeConfig;
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
}

async function untilSeen({ config, deadlineMs, signal }: Patience, path: string, apiVersion: string, kind: string, expectation: string, matches: (object: ObservedObject) => boolean): Promise<void> {
  const done = new AbortController();
  const watch = new ObjectWatch({ config, path, kind: { apiVersion, kind }, onEvent: () => undefined, signal: AbortSignal.any([signal, done.signal]) });
  try {
    await watch.start();
    await watch.until(expectation, (objects) => (objects.some(matches) ? true : undefined), deadlineMs, signal);
  } finally {
    done.abort();
  }
}

function isNodeReady(object: ObservedObject): boolean {
  const status = object['status'] as { conditions?: readonly { type: string; status: string }[] } | undefined;
  return status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false;
}

function isDefaultClass({ metadata }: ObservedObject): boolean {
  return metadata.annotations?.['storageclass.kubernetes.io/is-default-class'] === 'true';
}
