import { isDeepStrictEqual } from 'node:util';
import type { V1PersistentVolumeClaimSpec, V1PersistentVolumeClaimStatus } from '@kubernetes/client-node';
import type { ApiObject } from '../../api-object.ts';
import { AGE, NAME, part, text } from '../../printing/common-columns.ts';
import { forbiddenField, notSupported, required, type FieldError } from '../../validation/field-error.ts';
import { validateQuantity } from '../../validation/quantity.ts';
import { defineResource } from '../define-resource.ts';
import type { StrategyContext } from '../resource-definition.ts';
import { statusSubresource } from '../status-subresource.ts';
import { ACCESS_MODES, accessModesText } from './access-modes.ts';

const IMMUTABLE = 'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';

/** The admission plugin StorageObjectInUseProtection: a claim does not go while a Pod uses it; a controller lets it go. */
const IN_USE = 'kubernetes.io/pvc-protection';

type Claim = { spec: V1PersistentVolumeClaimSpec; status: V1PersistentVolumeClaimStatus };

export const PERSISTENT_VOLUME_CLAIM = defineResource({
  group: '',
  version: 'v1',
  plural: 'persistentvolumeclaims',
  kind: 'PersistentVolumeClaim',
  shortNames: ['pvc'],
  hasStatus: true,
  subresources: [statusSubresource('PersistentVolumeClaim')],
  columns: [
    NAME,
    text('Status', (claim) => (claim.metadata.deletionTimestamp === undefined ? (part<Claim['status']>(claim, 'status').phase ?? '') : 'Terminating')),
    text('Volume', (claim) => part<Claim['spec']>(claim, 'spec').volumeName ?? ''),
    text('Capacity', (claim) => part<Claim['status']>(claim, 'status').capacity?.['storage'] ?? ''),
    text('Access Modes', (claim) => accessModesText(part<Claim['status']>(claim, 'status').accessModes)),
    text('StorageClass', (claim) => part<Claim['spec']>(claim, 'spec').storageClassName ?? ''),
    text('VolumeAttributesClass', (claim) => part<Claim['spec']>(claim, 'spec').volumeAttributesClassName ?? '<unset>'),
    AGE,
    text('VolumeMode', (claim) => part<Claim['spec']>(claim, 'spec').volumeMode ?? '<unset>', 1),
  ],
  strategy: {
    returnsDeletedObject: true,
    setDefaults: (draft) => {
      ((draft['spec'] ??= {}) as V1PersistentVolumeClaimSpec).volumeMode ??= 'Filesystem';
    },
    prepareForCreate: (draft, context) => {
      useDefaultClass(draft['spec'] as V1PersistentVolumeClaimSpec, context);
      draft.metadata.finalizers = [...new Set([...(draft.metadata.finalizers ?? []), IN_USE])];
      draft['status'] = { phase: 'Pending' };
    },
    validate,
    validateUpdate,
  },
});

/** The admission plugin DefaultStorageClass. */
function useDefaultClass(spec: V1PersistentVolumeClaimSpec, { store }: StrategyContext): void {
  if (spec.storageClassName !== undefined) return;
  const byDefault = store.list('storage.k8s.io/storageclasses', null).find((storageClass) => storageClass.metadata.annotations?.['storageclass.kubernetes.io/is-default-class'] === 'true');
  if (byDefault !== undefined) spec.storageClassName = byDefault.metadata.name as string;
}

function validate(claim: ApiObject): FieldError[] {
  const spec = claim['spec'] as V1PersistentVolumeClaimSpec;
  const errors: FieldError[] = [];
  if ((spec.accessModes ?? []).length === 0) errors.push(required('spec.accessModes', 'at least 1 access mode is required'));
  for (const mode of spec.accessModes ?? []) if (!ACCESS_MODES.includes(mode)) errors.push(notSupported('spec.accessModes', mode, ACCESS_MODES));
  const storage = spec.resources?.requests?.['storage'];
  if (storage === undefined) errors.push(required('spec.resources[storage]'));
  else errors.push(...validateQuantity(storage, 'spec.resources[storage]'));
  if (spec.volumeMode !== 'Filesystem' && spec.volumeMode !== 'Block') errors.push(notSupported('spec.volumeMode', spec.volumeMode, ['Block', 'Filesystem']));
  return errors;
}

function validateUpdate(claim: ApiObject, previous: ApiObject): FieldError[] {
  const bound = (previous['status'] as V1PersistentVolumeClaimStatus | undefined)?.phase === 'Bound';
  const [now, before] = [structuredClone(claim['spec']) as V1PersistentVolumeClaimSpec, structuredClone(previous['spec']) as V1PersistentVolumeClaimSpec];
  // The binder names the volume once.
  if (before.volumeName === undefined) delete now.volumeName;
  if (bound) {
    delete now.resources?.requests?.['storage'];
    delete before.resources?.requests?.['storage'];
  }
  return isDeepStrictEqual(now, before) ? [] : [forbiddenField('spec', IMMUTABLE)];
}
