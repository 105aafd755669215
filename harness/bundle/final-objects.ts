import type { KubeConfig } from '@kubernetes/client-node';
import type { ObservedObject } from '../../evidence/observation.ts';
import { getRaw } from '../cluster/raw-request.ts';
import { toObservedObject } from '../observation/observed-object.ts';

const COLLECTIONS: readonly (readonly [apiVersion: string, kind: string, plural: string])[] = [
  ['v1', 'ConfigMap', 'configmaps'],
  ['v1', 'PersistentVolumeClaim', 'persistentvolumeclaims'],
  ['v1', 'Pod', 'pods'],
  ['v1', 'Secret', 'secrets'],
  ['v1', 'Service', 'services'],
  ['v1', 'ServiceAccount', 'serviceaccounts'],
  ['apps/v1', 'Deployment', 'deployments'],
  ['apps/v1', 'ReplicaSet', 'replicasets'],
  ['batch/v1', 'Job', 'jobs'],
  ['networking.k8s.io/v1', 'NetworkPolicy', 'networkpolicies'],
  ['rbac.authorization.k8s.io/v1', 'Role', 'roles'],
  ['rbac.authorization.k8s.io/v1', 'RoleBinding', 'rolebindings'],
];

/** Every object of the run as the API server serves it now, in the order of namespaces and kinds; of Secrets the names of their keys alone. */
export async function readFinalObjects(config: KubeConfig, namespaces: readonly string[], signal: AbortSignal): Promise<ObservedObject[]> {
  const objects: ObservedObject[] = [];
  for (const namespace of namespaces) {
    const lists = await Promise.all(
      COLLECTIONS.map(async ([apiVersion, kind, plural]) => {
        const { items } = await getRaw<{ items: object[] }>(config, `/${apiVersion.includes('/') ? 'apis' : 'api'}/${apiVersion}/namespaces/${namespace}/${plural}`, signal);
        return items.map((item) => toObservedObject({ apiVersion, kind, ...item }));
      }),
    );
    objects.push(...lists.flat());
  }
  return objects;
}
