import type { V1PodSpec, V1Volume } from '@kubernetes/client-node';
import type { ApiObject } from '../../api-object.ts';
import { generatedName } from '../../operations/system-metadata.ts';
import { forbidden } from '../../status-error.ts';
import type { StrategyContext } from '../resource-definition.ts';

const PODS = { group: '', plural: 'pods' };
const MOUNT_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';
const TOKEN_SECONDS = 3607;

/** The admission plugin ServiceAccount: every Pod has an account that exists, and its token unless someone declined. */
export function admitServiceAccount(draft: ApiObject, { store }: StrategyContext): void {
  const spec = draft['spec'] as V1PodSpec;
  const namespace = draft.metadata.namespace as string;
  spec.serviceAccountName ||= spec.serviceAccount || 'default';
  const account = store.get('/serviceaccounts', namespace, spec.serviceAccountName);
  if (account === null) {
    throw forbidden(PODS, draft.metadata.name ?? '', `error looking up service account ${namespace}/${spec.serviceAccountName}: serviceaccount "${spec.serviceAccountName}" not found`);
  }
  const automount = spec.automountServiceAccountToken ?? (account['automountServiceAccountToken'] as boolean | undefined) ?? true;
  if (automount) mountToken(spec);
  const pullSecrets = account['imagePullSecrets'] as V1PodSpec['imagePullSecrets'];
  if ((spec.imagePullSecrets ?? []).length === 0 && pullSecrets !== undefined) spec.imagePullSecrets = structuredClone(pullSecrets);
}

function mountToken(spec: V1PodSpec): void {
  const containers = [...(spec.initContainers ?? []), ...(spec.containers ?? [])];
  const lacking = containers.filter((container) => !(container.volumeMounts ?? []).some((mount) => mount.mountPath === MOUNT_PATH));
  if (lacking.length === 0) return;
  const name = generatedName('kube-api-access-');
  (spec.volumes ??= []).push(tokenVolume(name));
  for (const container of lacking) (container.volumeMounts ??= []).push({ name, readOnly: true, mountPath: MOUNT_PATH });
}

function tokenVolume(name: string): V1Volume {
  return {
    name,
    projected: {
      defaultMode: 0o644,
      sources: [
        { serviceAccountToken: { expirationSeconds: TOKEN_SECONDS, path: 'token' } },
        { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
        { downwardAPI: { items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }] } },
      ],
    },
  };
}
