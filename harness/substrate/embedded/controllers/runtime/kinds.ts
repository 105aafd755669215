import type { ResourceType } from '../../api-server/in-process-api.ts';
import type {
  ConfigMap,
  Deployment,
  Endpoints,
  EndpointSlice,
  Event,
  Job,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  ReplicaSet,
  Secret,
  Service,
  ServiceAccount,
  StorageClass,
  StoredObject,
} from './objects.ts';

/** A kind that this cluster serves; the type parameter is the shape of its objects. */
export interface Kind<T extends StoredObject = StoredObject> extends ResourceType {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** Never set: it only carries the type. */
  readonly shape?: T;
}

function kind<T extends StoredObject>(group: string, name: string, plural: string, namespaced = true): Kind<T> {
  return { group, version: 'v1', apiVersion: group === '' ? 'v1' : `${group}/v1`, kind: name, plural, namespaced };
}

export const PODS = kind<Pod>('', 'Pod', 'pods');
export const SECRETS = kind<Secret>('', 'Secret', 'secrets');
export const CONFIG_MAPS = kind<ConfigMap>('', 'ConfigMap', 'configmaps');
export const SERVICES = kind<Service>('', 'Service', 'services');
export const SERVICE_ACCOUNTS = kind<ServiceAccount>('', 'ServiceAccount', 'serviceaccounts');
export const ENDPOINTS = kind<Endpoints>('', 'Endpoints', 'endpoints');
export const ENDPOINT_SLICES = kind<EndpointSlice>('discovery.k8s.io', 'EndpointSlice', 'endpointslices');
export const EVENTS = kind<Event>('', 'Event', 'events');
export const CLAIMS = kind<PersistentVolumeClaim>('', 'PersistentVolumeClaim', 'persistentvolumeclaims');
export const DEPLOYMENTS = kind<Deployment>('apps', 'Deployment', 'deployments');
export const REPLICA_SETS = kind<ReplicaSet>('apps', 'ReplicaSet', 'replicasets');
export const JOBS = kind<Job>('batch', 'Job', 'jobs');
export const ROLES = kind('rbac.authorization.k8s.io', 'Role', 'roles');
export const ROLE_BINDINGS = kind('rbac.authorization.k8s.io', 'RoleBinding', 'rolebindings');
export const NETWORK_POLICIES = kind('networking.k8s.io', 'NetworkPolicy', 'networkpolicies');
export const NAMESPACES = kind<Namespace>('', 'Namespace', 'namespaces', false);
export const NODES = kind<Node>('', 'Node', 'nodes', false);
export const VOLUMES = kind<PersistentVolume>('', 'PersistentVolume', 'persistentvolumes', false);
export const STORAGE_CLASSES = kind<StorageClass>('storage.k8s.io', 'StorageClass', 'storageclasses', false);
export const CLUSTER_ROLES = kind('rbac.authorization.k8s.io', 'ClusterRole', 'clusterroles', false);
export const CLUSTER_ROLE_BINDINGS = kind('rbac.authorization.k8s.io', 'ClusterRoleBinding', 'clusterrolebindings', false);

/** What garbage collection and namespace deletion must know about. Events come last: the deletion itself makes some. */
export const ALL_KINDS: readonly Kind[] = [
  DEPLOYMENTS,
  REPLICA_SETS,
  JOBS,
  PODS,
  SERVICES,
  ENDPOINTS,
  ENDPOINT_SLICES,
  CLAIMS,
  SECRETS,
  CONFIG_MAPS,
  SERVICE_ACCOUNTS,
  ROLES,
  ROLE_BINDINGS,
  NETWORK_POLICIES,
  EVENTS,
  NAMESPACES,
  NODES,
  VOLUMES,
  STORAGE_CLASSES,
  CLUSTER_ROLES,
  CLUSTER_ROLE_BINDINGS,
];
