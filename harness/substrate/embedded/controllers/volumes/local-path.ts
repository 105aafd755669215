import type { Draft } from '../runtime/cluster-client.ts';
import type { PersistentVolumeClaim } from '../runtime/objects.ts';

export const PROVISIONER = 'rancher.io/local-path';
export const LOCAL_PATH_CLASS = 'local-path';

/** The class that K3s brings along: a folder on the node, made when the first Pod that uses the claim is placed. */
export const localPathClass: Draft = {
  metadata: { name: LOCAL_PATH_CLASS, annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
  provisioner: PROVISIONER,
  reclaimPolicy: 'Delete',
  volumeBindingMode: 'WaitForFirstConsumer',
};

export function volumeNameOf(claim: PersistentVolumeClaim): string {
  return `pvc-${claim.metadata.uid}`;
}

export function isLocalPath(claim: PersistentVolumeClaim): boolean {
  const { storageClassName } = claim.spec;
  return storageClassName === undefined || storageClassName === LOCAL_PATH_CLASS;
}

export function volumeFor(claim: PersistentVolumeClaim, folder: string, nodeName: string): Draft {
  const { namespace, name, uid, resourceVersion } = claim.metadata;
  const storage = claim.spec.resources?.requests?.['storage'] ?? '0';
  const matchExpressions = [{ key: 'kubernetes.io/hostname', operator: 'In', values: [nodeName] }];
  return {
    metadata: {
      name: volumeNameOf(claim),
      annotations: { 'pv.kubernetes.io/provisioned-by': PROVISIONER },
      finalizers: ['kubernetes.io/pv-protection'],
    },
    spec: {
      capacity: { storage },
      accessModes: claim.spec.accessModes ?? ['ReadWriteOnce'],
      claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid, resourceVersion },
      hostPath: { path: folder, type: 'DirectoryOrCreate' },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions }] } },
      persistentVolumeReclaimPolicy: 'Delete',
      storageClassName: LOCAL_PATH_CLASS,
      volumeMode: 'Filesystem',
    },
  };
}
