import type { V1Pod } from '@kubernetes/client-node';
import type { ApiMachinery } from '../api-machinery.ts';
import type { ApiObject } from '../api-object.ts';
import { getObject } from '../operations/get-object.ts';
import type { ObjectRequest } from '../operations/resource-request.ts';
import { timestamp } from '../operations/system-metadata.ts';
import { storageName } from '../resources/resource-definition.ts';
import { badRequest, conflict } from '../status-error.ts';
import { invalidObject, required } from '../validation/field-error.ts';

/** Assigns a Pod to a node, once. */
export function bindPod(machinery: ApiMachinery, request: ObjectRequest, binding: ApiObject): void {
  if ((binding.metadata.name ?? '') !== request.name) throw badRequest('name in URL does not match name in Binding object');
  const node = (binding['target'] as { name?: string } | undefined)?.name ?? '';
  if (node === '') throw invalidObject('Binding', { group: '', plural: 'bindings' }, request.name, [required('target.name')]);
  const draft = structuredClone(getObject(machinery, request));
  const pod = draft as unknown as V1Pod;
  const why = draft.metadata.deletionTimestamp !== undefined ? `pod ${request.name} is being deleted, cannot be assigned to a host` : (pod.spec?.nodeName ?? '') !== '' ? `pod ${request.name} is already assigned to node ${JSON.stringify(pod.spec?.nodeName)}` : null;
  if (why !== null) throw conflict({ group: '', plural: 'pods/binding' }, request.name, why);
  (draft['spec'] as { nodeName?: string }).nodeName = node;
  const status = (draft['status'] ??= {}) as { conditions?: unknown[] };
  const others = (status.conditions ?? []).filter((condition) => (condition as { type?: string }).type !== 'PodScheduled');
  status.conditions = [...others, { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: timestamp() }];
  machinery.store.put(storageName(request.definition), draft);
}
