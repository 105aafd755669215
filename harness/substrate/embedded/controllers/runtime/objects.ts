import type { IDeployment, IReplicaSet } from 'kubernetes-models/apps/v1';
import type { IJob } from 'kubernetes-models/batch/v1';
import type { IEndpointSlice } from 'kubernetes-models/discovery.k8s.io/v1';
import type { IStorageClass } from 'kubernetes-models/storage.k8s.io/v1';
import type {
  IConfigMap,
  IEndpoints,
  IEvent,
  INamespace,
  INode,
  IPersistentVolume,
  IPersistentVolumeClaim,
  IPod,
  ISecret,
  IService,
  IServiceAccount,
} from 'kubernetes-models/v1';

type AnyMeta = NonNullable<IPod['metadata']>;

/** Metadata of an object that the API server has stored: what it always fills in is not optional. */
export type StoredMeta = AnyMeta & { name: string; uid: string; resourceVersion: string; creationTimestamp: string };
export type NamespacedMeta = StoredMeta & { namespace: string };

/** Any stored object, whatever its kind. */
export interface StoredObject {
  apiVersion: string;
  kind: string;
  metadata: StoredMeta;
}

interface Shape {
  apiVersion: string;
  kind: string;
  metadata?: AnyMeta;
}
type Stored<T extends Shape, Meta, Present extends keyof T = never> = Omit<T, 'metadata' | Present> & {
  apiVersion: string;
  kind: string;
  metadata: Meta;
} & { [K in Present]-?: NonNullable<T[K]> };

export type Pod = Stored<IPod, NamespacedMeta, 'spec'>;
export type Secret = Stored<ISecret, NamespacedMeta>;
export type ConfigMap = Stored<IConfigMap, NamespacedMeta>;
export type Service = Stored<IService, NamespacedMeta, 'spec'>;
export type ServiceAccount = Stored<IServiceAccount, NamespacedMeta>;
export type Endpoints = Stored<IEndpoints, NamespacedMeta>;
export type EndpointSlice = Stored<IEndpointSlice, NamespacedMeta>;
export type Event = Stored<IEvent, NamespacedMeta>;
export type PersistentVolumeClaim = Stored<IPersistentVolumeClaim, NamespacedMeta, 'spec'>;
export type Deployment = Stored<IDeployment, NamespacedMeta, 'spec'>;
export type ReplicaSet = Stored<IReplicaSet, NamespacedMeta, 'spec'>;
export type Job = Stored<IJob, NamespacedMeta, 'spec'>;
export type Namespace = Stored<INamespace, StoredMeta>;
export type Node = Stored<INode, StoredMeta>;
export type PersistentVolume = Stored<IPersistentVolume, StoredMeta, 'spec'>;
export type StorageClass = Stored<IStorageClass, StoredMeta>;

export type PodSpec = Pod['spec'];
export type PodStatus = NonNullable<Pod['status']>;
export type PodTemplate = ReplicaSet['spec']['template'];
export type Container = PodSpec['containers'][number];
export type ContainerStatus = NonNullable<PodStatus['containerStatuses']>[number];
export type ContainerState = NonNullable<ContainerStatus['state']>;
export type OwnerReference = NonNullable<AnyMeta['ownerReferences']>[number];
