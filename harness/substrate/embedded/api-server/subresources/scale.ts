import type { V1LabelSelector } from '@kubernetes/client-node';
import type { ApiObject } from '../api-object.ts';
import { selectorText } from '../printing/common-columns.ts';
import { badRequest } from '../status-error.ts';
import { invalid, invalidObject } from '../validation/field-error.ts';

/** autoscaling/v1 Scale of a Deployment or ReplicaSet. */
export function scaleOf(workload: ApiObject): ApiObject {
  const spec = workload['spec'] as { replicas?: number; selector?: V1LabelSelector };
  const status = (workload['status'] ?? {}) as { replicas?: number };
  const { name, namespace, uid, resourceVersion, creationTimestamp } = workload.metadata;
  const selector = selectorText(spec.selector);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp } as ApiObject['metadata'],
    spec: (spec.replicas ?? 0) === 0 ? {} : { replicas: spec.replicas },
    status: { replicas: status.replicas ?? 0, ...(selector === '<none>' ? {} : { selector }) },
  };
}

/** The workload with the number of replicas that the scale asks for. */
export function withScale(workload: ApiObject, scale: ApiObject): ApiObject {
  const replicas = (scale['spec'] as { replicas?: number } | undefined)?.replicas ?? 0;
  if ((scale.metadata.name ?? workload.metadata.name) !== workload.metadata.name) throw badRequest(`the name of the object (${scale.metadata.name}) does not match the name on the URL (${workload.metadata.name})`);
  if (replicas < 0) {
    throw invalidObject('Scale', { group: 'autoscaling', plural: 'scales' }, workload.metadata.name ?? '', [invalid('spec.replicas', replicas, 'must be greater than or equal to 0')]);
  }
  const draft = structuredClone(workload);
  (draft['spec'] as { replicas?: number }).replicas = replicas;
  if (scale.metadata.resourceVersion === undefined) delete draft.metadata.resourceVersion;
  else draft.metadata.resourceVersion = scale.metadata.resourceVersion;
  if (scale.metadata.uid !== undefined) draft.metadata.uid = scale.metadata.uid;
  return draft;
}
