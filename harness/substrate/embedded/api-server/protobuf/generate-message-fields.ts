import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Makes message-fields.json: field numbers, names and types of the messages that clients send, from Kubernetes' generated.proto files.
 * Usage: node generate-message-fields.ts <folder that holds k8s.io/> (Debian: golang-k8s-api-dev, golang-k8s-apimachinery-dev).
 */
const PACKAGES = [
  ...['core', 'apps', 'batch', 'discovery', 'networking', 'rbac', 'storage', 'authentication', 'authorization', 'autoscaling', 'policy'].map((group) => `api/${group}/v1`),
  'apimachinery/pkg/apis/meta/v1',
  'apimachinery/pkg/api/resource',
  'apimachinery/pkg/util/intstr',
  'apimachinery/pkg/runtime',
];
const ROOTS = [
  ...['ConfigMap', 'Endpoints', 'Event', 'Namespace', 'Node', 'PersistentVolumeClaim', 'PersistentVolume', 'Pod', 'Secret', 'ServiceAccount', 'Service', 'Binding'].map((kind) => `api.core.v1.${kind}`),
  ...['Deployment', 'ReplicaSet'].map((kind) => `api.apps.v1.${kind}`),
  'api.batch.v1.Job',
  'api.discovery.v1.EndpointSlice',
  'api.networking.v1.NetworkPolicy',
  ...['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'].map((kind) => `api.rbac.v1.${kind}`),
  'api.storage.v1.StorageClass',
  ...['TokenRequest', 'TokenReview', 'SelfSubjectReview'].map((kind) => `api.authentication.v1.${kind}`),
  ...['SelfSubjectAccessReview', 'SelfSubjectRulesReview', 'SubjectAccessReview', 'LocalSubjectAccessReview'].map((kind) => `api.authorization.v1.${kind}`),
  'api.autoscaling.v1.Scale',
  'api.policy.v1.Eviction',
  'apimachinery.pkg.apis.meta.v1.DeleteOptions',
];
const FIELD = /^\s*(optional|repeated)?\s*(map<string,\s*([\w.]+)>|[\w.]+)\s+(\w+)\s*=\s*(\d+);/;

type Messages = Record<string, Record<string, string>>;

const [root = '.'] = process.argv.slice(2);
const all: Messages = Object.assign({}, ...PACKAGES.map((path) => parseProto(readFileSync(join(root, 'k8s.io', path, 'generated.proto'), 'utf8'), path.replaceAll('/', '.'))));
writeFileSync(new URL('message-fields.json', import.meta.url), `${JSON.stringify(reachable(all), null, 1)}\n`);

function parseProto(text: string, packageName: string): Messages {
  const messages: Messages = {};
  let current: Record<string, string> | null = null;
  for (const line of text.split('\n')) {
    const opened = /^message (\w+) \{/.exec(line)?.[1];
    if (opened !== undefined) current = messages[`${packageName}.${opened}`] = {};
    const [, label, type = '', mapValue, name = '', number = ''] = FIELD.exec(line) ?? [];
    if (current === null || number === '') continue;
    const prefix = mapValue !== undefined ? '{}' : label === 'repeated' ? '[]' : '';
    current[number] = `${name} ${prefix}${qualified(mapValue ?? type, packageName)}`;
  }
  return messages;
}

function qualified(type: string, packageName: string): string {
  if (/^[a-z]\w*$/.test(type)) return type;
  const full = type.replace(/^\.?k8s\.io\./, '').replaceAll('/', '.');
  return full.includes('.') ? full : `${packageName}.${full}`;
}

function reachable(messages: Messages): Messages {
  const found: Messages = {};
  const open = [...ROOTS];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const fields = messages[name];
    if (fields === undefined || found[name] !== undefined) continue;
    found[name] = fields;
    for (const field of Object.values(fields)) open.push((field.split(' ')[1] ?? '').replace(/^(?:\[\]|\{\})/, ''));
  }
  return Object.fromEntries(Object.entries(found).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
