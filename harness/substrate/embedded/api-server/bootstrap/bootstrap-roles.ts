import type { V1PolicyRule } from '@kubernetes/client-node';
import type { ApiObject } from '../api-object.ts';

const RBAC = 'rbac.authorization.k8s.io';
const READ = ['get', 'list', 'watch'];
const BOOTSTRAPPING = { 'kubernetes.io/bootstrapping': 'rbac-defaults' };
const WRITE = ['create', 'delete', 'deletecollection', 'patch', 'update'];

const VIEWED: readonly [string, string[]][] = [
  ['', ['configmaps', 'endpoints', 'events', 'namespaces', 'persistentvolumeclaims', 'persistentvolumeclaims/status', 'pods', 'pods/log', 'pods/status', 'serviceaccounts', 'services', 'services/status']],
  ['apps', ['deployments', 'deployments/scale', 'deployments/status', 'replicasets', 'replicasets/scale', 'replicasets/status']],
  ['batch', ['jobs', 'jobs/status']],
  ['discovery.k8s.io', ['endpointslices']],
  ['networking.k8s.io', ['networkpolicies']],
];

const EDITED: readonly [string, string[]][] = [
  ['', ['configmaps', 'events', 'persistentvolumeclaims', 'pods', 'pods/attach', 'pods/exec', 'pods/eviction', 'pods/portforward', 'secrets', 'serviceaccounts', 'serviceaccounts/token', 'services']],
  ['apps', ['deployments', 'deployments/scale', 'replicasets', 'replicasets/scale']],
  ['batch', ['jobs']],
  ['networking.k8s.io', ['networkpolicies']],
];

const view = VIEWED.map(([group, resources]): V1PolicyRule => ({ apiGroups: [group], resources, verbs: READ }));
const edit = [...view, ...EDITED.map(([group, resources]): V1PolicyRule => ({ apiGroups: [group], resources, verbs: WRITE })), { apiGroups: [''], resources: ['secrets'], verbs: READ }];
const admin = [
  ...edit,
  { apiGroups: [RBAC], resources: ['rolebindings', 'roles'], verbs: [...WRITE, ...READ] },
  { apiGroups: ['authorization.k8s.io'], resources: ['localsubjectaccessreviews'], verbs: ['create'] },
];

/** The default roles that clients and people count on, as far as their resources exist here. */
export const BOOTSTRAP_ROLES: readonly ApiObject[] = [
  role('cluster-admin', [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }, { nonResourceURLs: ['*'], verbs: ['*'] }]),
  role('admin', admin),
  role('edit', edit),
  role('view', view),
  role('system:basic-user', [
    { apiGroups: ['authorization.k8s.io'], resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'], verbs: ['create'] },
    { apiGroups: ['authentication.k8s.io'], resources: ['selfsubjectreviews'], verbs: ['create'] },
  ]),
  role('system:discovery', [{ nonResourceURLs: ['/api', '/api/*', '/apis', '/apis/*', '/healthz', '/livez', '/openapi', '/openapi/*', '/readyz', '/version', '/version/'], verbs: ['get'] }]),
  role('system:public-info-viewer', [{ nonResourceURLs: ['/healthz', '/livez', '/readyz', '/version', '/version/'], verbs: ['get'] }]),
  role('system:service-account-issuer-discovery', [{ nonResourceURLs: ['/.well-known/openid-configuration', '/.well-known/openid-configuration/', '/openid/v1/jwks', '/openid/v1/jwks/'], verbs: ['get'] }]),
  role('system:auth-delegator', [
    { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
    { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
  ]),
  binding('cluster-admin', 'system:masters'),
  binding('system:basic-user', 'system:authenticated'),
  binding('system:discovery', 'system:authenticated'),
  binding('system:public-info-viewer', 'system:authenticated'),
  binding('system:service-account-issuer-discovery', 'system:serviceaccounts'),
];


function role(name: string, rules: V1PolicyRule[]): ApiObject {
  return { apiVersion: `${RBAC}/v1`, kind: 'ClusterRole', metadata: { name, labels: BOOTSTRAPPING }, rules };
}

function binding(name: string, group: string): ApiObject {
  return {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name, labels: BOOTSTRAPPING },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name },
    subjects: [{ apiGroup: RBAC, kind: 'Group', name: group }],
  };
}
