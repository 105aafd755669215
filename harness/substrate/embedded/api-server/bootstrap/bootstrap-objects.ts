import type { ApiMachinery } from '../api-machinery.ts';
import type { ApiObject } from '../api-object.ts';
import { createObject } from '../operations/create-object.ts';
import { API_SERVICE_ADDRESS } from '../resources/network/address-allocation.ts';
import { BOOTSTRAP_ROLES } from './bootstrap-roles.ts';

const SELF = 'system:apiserver';
const NAMESPACES = ['kube-system', 'kube-public', 'kube-node-lease', 'default'];

/** What the API server itself puts into an empty cluster: its namespaces, its default roles and its own Service. */
export function createBootstrapObjects(machinery: ApiMachinery, port: number): void {
  const create = (object: ApiObject): void => {
    const definition = machinery.catalog.findByKind(object.apiVersion, object.kind);
    if (definition === null) throw new Error(`no definition of ${object.apiVersion} ${object.kind}`);
    createObject(machinery, { definition, namespace: object.metadata.namespace ?? null, user: SELF }, structuredClone(object), { fieldManager: 'kube-apiserver' });
  };
  for (const name of NAMESPACES) create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  for (const object of [...BOOTSTRAP_ROLES, ...ownService(port)]) create(object);
}

function ownService(port: number): ApiObject[] {
  const labels = { component: 'apiserver', provider: 'kubernetes' };
  const metadata = { name: 'kubernetes', namespace: 'default' };
  const ports = [{ name: 'https', port, protocol: 'TCP' }];
  return [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { ...metadata, labels },
      spec: { type: 'ClusterIP', clusterIP: API_SERVICE_ADDRESS, ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: port }] },
    },
    { apiVersion: 'v1', kind: 'Endpoints', metadata: { ...metadata, labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } }, subsets: [{ addresses: [{ ip: '127.0.0.1' }], ports }] },
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { ...metadata, labels: { 'kubernetes.io/service-name': 'kubernetes' } },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['127.0.0.1'], conditions: { ready: true } }],
      ports,
    },
  ];
}
