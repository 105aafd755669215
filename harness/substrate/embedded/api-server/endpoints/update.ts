import { requireNoEscalation } from '../authorization/privilege-escalation.ts';
import { getObject } from '../operations/get-object.ts';
import { updateObject, type UpdateOptions } from '../operations/update-object.ts';
import { objectRequest, type Answer, type ResourceEndpointRequest } from './endpoint-request.ts';
import { readObject } from './read-object.ts';
import { writeOptions } from './write-options.ts';
import { scaleOf, withScale } from '../subresources/scale.ts';
import { SCALE_TARGET } from '../subresources/scale-target.ts';

export async function serveUpdate(request: ResourceEndpointRequest, subresource?: UpdateOptions['subresource']): Promise<Answer> {
  const options = writeOptions(request, 'UpdateOptions');
  const { object, warnings } = await readObject(request, request.definition);
  requireNoEscalation(request.machinery, request.user, request.definition, object, request.namespace);
  const updated = updateObject(request.machinery, objectRequest(request), object, { ...options, ...(subresource === undefined ? {} : { subresource }) });
  return { code: 200, object: updated, warnings };
}

export async function serveScaleUpdate(request: ResourceEndpointRequest): Promise<Answer> {
  const options = writeOptions(request, 'UpdateOptions');
  const { object: scale, warnings } = await readObject(request, SCALE_TARGET);
  const workload = getObject(request.machinery, objectRequest(request));
  const updated = updateObject(request.machinery, objectRequest(request), withScale(workload, scale), options);
  return { code: 200, object: scaleOf(updated), warnings };
}
