import { EVENT } from './cluster/event.ts';
import { NAMESPACE } from './cluster/namespace.ts';
import { NODE } from './cluster/node.ts';
import { CONFIG_MAP } from './config/config-map.ts';
import { SECRET } from './config/secret.ts';
import { SERVICE_ACCOUNT } from './config/service-account.ts';
import { ENDPOINT_SLICE } from './network/endpoint-slice.ts';
import { ENDPOINTS } from './network/endpoints.ts';
import { NETWORK_POLICY } from './network/network-policy.ts';
import { SERVICE } from './network/service.ts';
import { CLUSTER_ROLE_BINDING, ROLE_BINDING } from './rbac/role-bindings.ts';
import { CLUSTER_ROLE, ROLE } from './rbac/roles.ts';
import type { ResourceDefinition } from './resource-definition.ts';
import { PERSISTENT_VOLUME_CLAIM } from './volumes/persistent-volume-claim.ts';
import { PERSISTENT_VOLUME } from './volumes/persistent-volume.ts';
import { STORAGE_CLASS } from './volumes/storage-class.ts';
import { DEPLOYMENT } from './workloads/deployment.ts';
import { JOB } from './workloads/job.ts';
import { POD } from './workloads/pod.ts';
import { REPLICA_SET } from './workloads/replica-set.ts';

/** Every resource that is stored and served, groups in the order in which discovery lists them. */
export const BUILTIN_RESOURCES: readonly ResourceDefinition[] = [
  CONFIG_MAP,
  ENDPOINTS,
  EVENT,
  NAMESPACE,
  NODE,
  PERSISTENT_VOLUME_CLAIM,
  PERSISTENT_VOLUME,
  POD,
  SECRET,
  SERVICE_ACCOUNT,
  SERVICE,
  DEPLOYMENT,
  REPLICA_SET,
  JOB,
  NETWORK_POLICY,
  CLUSTER_ROLE_BINDING,
  CLUSTER_ROLE,
  ROLE_BINDING,
  ROLE,
  STORAGE_CLASS,
  ENDPOINT_SLICE,
];
