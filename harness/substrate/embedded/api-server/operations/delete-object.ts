import type { ApiMachinery } from '../api-machinery.ts';
import type { ApiObject } from '../api-object.ts';
import { storageName, type ResourceDefinition } from '../resources/resource-definition.ts';
import { conflict, forbidden, notFound } from '../status-error.ts';
import type { ObjectRequest } from './resource-request.ts';
import { timestamp } from './system-metadata.ts';
import { namespaceFinalizers } from './update-object.ts';

export type PropagationPolicy = 'Background' | 'Foreground' | 'Orphan';

export interface DeleteParameters {
  readonly gracePeriodSeconds?: number;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly propagationPolicy?: PropagationPolicy;
  readonly dryRun?: boolean;
}

export interface Deletion {
  /** The object's last state, or the state in which it now waits for its end. */
  readonly object: ApiObject;
  readonly gone: boolean;
}

const IMMORTAL_NAMESPACES = new Set(['default', 'kube-system', 'kube-public']);
const FOREGROUND = 'foregroundDeletion';
const ORPHAN = 'orphan';

export function deleteObject(machinery: ApiMachinery, { definition, namespace, name }: ObjectRequest, parameters: DeleteParameters = {}): Deletion {
  const current = machinery.store.get(storageName(definition), namespace, name);
  if (current === null) throw notFound(definition, name);
  if (definition.kind === 'Namespace' && IMMORTAL_NAMESPACES.has(name)) throw forbidden(definition, name, 'this namespace may not be deleted');
  requirePreconditions(definition, current, parameters);
  const draft = structuredClone(current);
  const grace = gracePeriodOf(definition, current, parameters);
  applyPropagation(definition, draft, parameters);
  const held = (draft.metadata.finalizers ?? []).length > 0 || (definition.kind === 'Namespace' && namespaceFinalizers(draft).length > 0);
  if (!held && grace === 0) {
    if (definition.kind === 'Pod' && draft.metadata.deletionTimestamp === undefined) {
      draft.metadata.deletionTimestamp = timestamp();
      draft.metadata.deletionGracePeriodSeconds = 0;
    }
    if (parameters.dryRun === true) return { object: draft, gone: true };
    const object = machinery.store.remove(storageName(definition), draft);
    definition.strategy.afterRemoval?.(object);
    return { object, gone: true };
  }
  if (!markForDeletion(definition, draft, grace)) return { object: current, gone: false };
  return { object: parameters.dryRun === true ? draft : machinery.store.put(storageName(definition), draft), gone: false };
}

function requirePreconditions(definition: ResourceDefinition, { metadata }: ApiObject, { preconditions }: DeleteParameters): void {
  const name = metadata.name as string;
  const subject = { group: definition.group, plural: definition.kind };
  if (preconditions?.uid !== undefined && preconditions.uid !== metadata.uid) {
    throw conflict(subject, name, `the UID in the precondition (${preconditions.uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`);
  }
  if (preconditions?.resourceVersion !== undefined && preconditions.resourceVersion !== metadata.resourceVersion) {
    throw conflict(subject, name, `the ResourceVersion in the precondition (${preconditions.resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`);
  }
}

/** Only Pods that run somewhere are deleted gracefully. */
function gracePeriodOf(definition: ResourceDefinition, current: ApiObject, { gracePeriodSeconds }: DeleteParameters): number {
  if (definition.kind !== 'Pod' || definition.group !== '') return 0;
  const spec = current['spec'] as { nodeName?: string; terminationGracePeriodSeconds?: number };
  const phase = (current['status'] as { phase?: string } | undefined)?.phase;
  if ((spec.nodeName ?? '') === '' || phase === 'Failed' || phase === 'Succeeded') return 0;
  return Math.max(gracePeriodSeconds ?? spec.terminationGracePeriodSeconds ?? 30, gracePeriodSeconds === 0 ? 0 : 1);
}

function applyPropagation(definition: ResourceDefinition, draft: ApiObject, { propagationPolicy }: DeleteParameters): void {
  const finalizers = new Set(draft.metadata.finalizers ?? []);
  const policy = propagationPolicy ?? (finalizers.has(FOREGROUND) ? 'Foreground' : finalizers.has(ORPHAN) ? 'Orphan' : (definition.strategy.defaultPropagation ?? 'Background'));
  finalizers.delete(FOREGROUND);
  finalizers.delete(ORPHAN);
  if (policy === 'Foreground') finalizers.add(FOREGROUND);
  if (policy === 'Orphan') finalizers.add(ORPHAN);
  if (finalizers.size > 0) draft.metadata.finalizers = [...finalizers];
  else delete draft.metadata.finalizers;
}

/** Whether the mark says something new: a later deletion may only shorten the grace period. */
function markForDeletion(definition: ResourceDefinition, draft: ApiObject, grace: number): boolean {
  const { metadata } = draft;
  const already = metadata.deletionTimestamp !== undefined;
  if (already && grace >= (metadata.deletionGracePeriodSeconds ?? 0)) return false;
  const startedAt = already ? Date.parse(metadata.deletionTimestamp as string) - (metadata.deletionGracePeriodSeconds ?? 0) * 1000 : Date.now();
  metadata.deletionTimestamp = timestamp(new Date((already ? Math.max(startedAt, Date.now() - grace * 1000) : startedAt) + grace * 1000));
  if (definition.kind !== 'Namespace') metadata.deletionGracePeriodSeconds = grace;
  if (metadata.generation !== undefined) metadata.generation += 1;
  if (definition.kind === 'Namespace') draft['status'] = { ...(draft['status'] as object | undefined), phase: 'Terminating' };
  return true;
}
