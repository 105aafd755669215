import type { ClusterClient } from '../controllers/runtime/cluster-client.ts';
import type { EventRecorder } from '../controllers/runtime/event-recorder.ts';
import type { ObjectCache } from '../controllers/runtime/object-cache.ts';
import type { ConfigMap, PersistentVolume, PersistentVolumeClaim, Pod, Secret, Service } from '../controllers/runtime/objects.ts';
import type { AddressPool } from './address-pool.ts';
import type { ImageTable } from './image-table.ts';
import type { ServiceHosts } from './names/service-hosts.ts';
import type { NodeTiming } from './node-timing.ts';
import type { ProcessGroups } from './process/group-guard.ts';

export interface NodeCaches {
  readonly pods: ObjectCache<Pod>;
  readonly secrets: ObjectCache<Secret>;
  readonly configMaps: ObjectCache<ConfigMap>;
  readonly claims: ObjectCache<PersistentVolumeClaim>;
  readonly volumes: ObjectCache<PersistentVolume>;
  readonly services: ObjectCache<Service>;
}

/** What every Pod of this node shares. */
export interface NodeContext {
  readonly nodeName: string;
  /** Folder of the Pods' volumes, logs and scratch space; other users may pass through it. */
  readonly directory: string;
  readonly client: ClusterClient;
  readonly events: EventRecorder;
  readonly caches: NodeCaches;
  readonly images: ImageTable;
  readonly addresses: AddressPool;
  readonly hosts: ServiceHosts;
  readonly timing: NodeTiming;
  readonly apiEndpoint: { readonly host: string; readonly port: number };
  /** File that Node processes of Pods load first. */
  readonly preload: string;
  readonly groups: ProcessGroups;
  /** Marks every process of this node in its environment, for whoever has to find them all. */
  readonly marker: Readonly<Record<string, string>>;
  /** True for root: containers then run as their securityContext says, and files belong to whom Kubernetes would give them. */
  readonly canChangeUser: boolean;
  readonly report: (line: string) => void;
}
