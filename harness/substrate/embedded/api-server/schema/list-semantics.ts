/** How lists and objects of a field merge: the markers of Kubernetes' OpenAPI that the client's attribute maps do not carry. */
export interface ListSemantics {
  /** The key by which strategic merge patch matches elements (x-kubernetes-patch-merge-key). */
  readonly patchMergeKey?: string;
  /** A list of scalars to which strategic merge patch adds. */
  readonly patchMergesScalars?: boolean;
  /** Strategic merge patch heeds $retainKeys here; told for completeness, the directive itself decides. */
  readonly retainKeys?: boolean;
  /** The keys by which server-side apply matches elements (x-kubernetes-list-map-keys). */
  readonly mapKeys?: readonly string[];
  /** Server-side apply owns each scalar of the list by itself. */
  readonly isSet?: boolean;
}

const byKey = (...keys: [string, ...string[]]): ListSemantics => ({ patchMergeKey: keys[0], mapKeys: keys });
const conditions = byKey('type');

const FIELDS: Readonly<Record<string, Readonly<Record<string, ListSemantics>>>> = {
  V1ObjectMeta: { finalizers: { patchMergesScalars: true, isSet: true }, ownerReferences: byKey('uid') },
  V1PodSpec: {
    containers: byKey('name'),
    initContainers: byKey('name'),
    ephemeralContainers: byKey('name'),
    volumes: { ...byKey('name'), retainKeys: true },
    imagePullSecrets: byKey('name'),
    hostAliases: byKey('ip'),
    resourceClaims: byKey('name'),
    schedulingGates: byKey('name'),
    topologySpreadConstraints: { patchMergeKey: 'topologyKey', mapKeys: ['topologyKey', 'whenUnsatisfiable'] },
  },
  V1PodStatus: { conditions, podIPs: byKey('ip'), hostIPs: { patchMergeKey: 'ip' }, resourceClaimStatuses: byKey('name') },
  V1Container: {
    env: byKey('name'),
    ports: { patchMergeKey: 'containerPort', mapKeys: ['containerPort', 'protocol'] },
    volumeMounts: byKey('mountPath'),
    volumeDevices: byKey('devicePath'),
  },
  V1EphemeralContainer: { env: byKey('name'), ports: { patchMergeKey: 'containerPort', mapKeys: ['containerPort', 'protocol'] }, volumeMounts: byKey('mountPath'), volumeDevices: byKey('devicePath') },
  V1ResourceRequirements: { claims: { mapKeys: ['name'] } },
  V1DeploymentSpec: { strategy: { retainKeys: true } },
  V1DeploymentStatus: { conditions },
  V1ReplicaSetStatus: { conditions },
  V1JobStatus: { conditions },
  V1NamespaceStatus: { conditions },
  V1NodeSpec: { podCIDRs: { patchMergesScalars: true, isSet: true } },
  V1NodeStatus: { conditions, addresses: byKey('type') },
  V1PersistentVolumeClaimStatus: { conditions },
  V1ServiceAccount: { secrets: byKey('name') },
  V1ServiceSpec: { ports: { patchMergeKey: 'port', mapKeys: ['port', 'protocol'] } },
  V1ServiceStatus: { conditions },
  V1TopologySelectorLabelRequirement: {},
  V1Endpoint: { addresses: { isSet: true } },
};

/** Objects that server-side apply owns as a whole (x-kubernetes-map-type: atomic). */
const ATOMIC_MODELS = new Set([
  'V1LabelSelector',
  'V1NodeSelector',
  'V1NodeSelectorTerm',
  'V1ObjectReference',
  'V1LocalObjectReference',
  'V1TypedLocalObjectReference',
  'V1ObjectFieldSelector',
  'V1ResourceFieldSelector',
  'V1ConfigMapKeySelector',
  'V1SecretKeySelector',
  'V1SecretReference',
  'V1EndpointAddress',
  'CoreV1EndpointPort',
  'DiscoveryV1EndpointPort',
  'V1RoleRef',
  'RbacV1Subject',
  'V1TopologySelectorTerm',
]);

const ATOMIC_MAPS: Readonly<Record<string, readonly string[]>> = { V1ServiceSpec: ['selector'], V1PodSpec: ['nodeSelector'] };

export function listSemantics(model: string, field: string): ListSemantics {
  return FIELDS[model]?.[field] ?? {};
}

export function isAtomicModel(model: string): boolean {
  return ATOMIC_MODELS.has(model);
}

export function isAtomicMap(model: string, field: string): boolean {
  return ATOMIC_MAPS[model]?.includes(field) ?? false;
}
