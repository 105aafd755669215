import { dirname, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type {
  V1ConfigMap,
  V1Deployment,
  V1Job,
  V1Namespace,
  V1NetworkPolicy,
  V1PersistentVolumeClaim,
  V1Pod,
  V1Role,
  V1RoleBinding,
  V1Secret,
  V1Service,
  V1ServiceAccount,
} from '@kubernetes/client-node';
import { ManifestError } from './error.ts';
import { buildResources, type Resource } from './kustomization.ts';
import { fillPlaceholders, type Parameters } from './placeholders.ts';
import type { ManifestSet, ManifestSets } from './sets.ts';

interface Kinds {
  ConfigMap: V1ConfigMap;
  Deployment: V1Deployment;
  Job: V1Job;
  Namespace: V1Namespace;
  NetworkPolicy: V1NetworkPolicy;
  PersistentVolumeClaim: V1PersistentVolumeClaim;
  Pod: V1Pod;
  Role: V1Role;
  RoleBinding: V1RoleBinding;
  Secret: V1Secret;
  Service: V1Service;
  ServiceAccount: V1ServiceAccount;
}

export type ManifestKind = keyof Kinds;
type Named<Kind extends ManifestKind> = Kinds[Kind] & { apiVersion: string; kind: Kind; metadata: { name: string; namespace?: string } };
export type ManifestObject = { [Kind in ManifestKind]: Named<Kind> }[ManifestKind];

const KINDS: ReadonlySet<string> = new Set<ManifestKind>([
  'ConfigMap', 'Deployment', 'Job', 'Namespace', 'NetworkPolicy', 'PersistentVolumeClaim', 'Pod', 'Role', 'RoleBinding', 'Secret', 'Service', 'ServiceAccount',
]);

const MANIFESTS = fileURLToPath(new URL('../../manifests/', import.meta.url));

/** The objects of one set, built from the YAML in `manifests/` and filled with the run's values, in the order of the files. */
export function renderManifests<Set extends ManifestSet>(set: Set, parameters: ManifestSets[Set]): ManifestObject[] {
  const given = Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== undefined)) as Parameters;
  const resources = buildResources(`${MANIFESTS}overlays/rollout-live/${set}`);
  const objects = fillPlaceholders(resources.map(({ object }) => object), given, `manifests/overlays/rollout-live/${set}`);
  return objects.map((object, index) => {
    ORIGINS.set(object, toOrigin(resources[index] as Resource));
    if (!KINDS.has(object.kind as string)) throw new ManifestError('MANIFEST_FILE_INVALID', `${set} holds an object of kind ${JSON.stringify(object.kind)}, which the harness does not apply`);
    return object as unknown as ManifestObject;
  });
}

/** The files of this repository that an object was made from. */
export interface ManifestOrigin {
  readonly file: string;
  readonly patches: readonly string[];
}

const ORIGINS = new WeakMap<object, ManifestOrigin>();
const ROOT = dirname(MANIFESTS);

function toOrigin({ file, patches }: Resource): ManifestOrigin {
  return { file: relative(ROOT, file), patches: patches.map((patch) => relative(ROOT, patch)) };
}

/** Of an object as `renderManifests` gave it out; a copy has none. */
export function originOf(object: ManifestObject): ManifestOrigin | null {
  return ORIGINS.get(object) ?? null;
}

/** The one object of a kind (and, where there are several, of a name) among rendered ones. */
export function manifestOf<Kind extends ManifestKind>(objects: readonly ManifestObject[], kind: Kind, name?: string): Named<Kind> {
  const found = objects.filter((object) => object.kind === kind && (name === undefined || object.metadata.name === name));
  if (found.length !== 1) throw new ManifestError('MANIFEST_FILE_INVALID', `expected one ${kind} ${name ?? ''}, got ${found.length}`);
  return found[0] as unknown as Named<Kind>;
}

/** The API server's audit policy, as the file has it: it must be in place before the server starts. */
export const AUDIT_POLICY_PATH = `${MANIFESTS}audit/policy.yaml`;
