import type { ApiObject } from '../api-object.ts';
import { requireNoEscalation } from '../authorization/privilege-escalation.ts';
import { decodeObject, type DecodingTarget } from '../decoding/decode-object.ts';
import { parseJson, type ParsedJson } from '../decoding/json-text.ts';
import { mediaTypeOf, readBody } from '../http/request-body.ts';
import { getObject } from '../operations/get-object.ts';
import { updateObject, type UpdateOptions } from '../operations/update-object.ts';
import { applyJsonPatch } from '../patching/json-patch.ts';
import { applyMergePatch } from '../patching/merge-patch.ts';
import { patchTypeOf, type PatchType } from '../patching/patch-type.ts';
import { applyStrategicMergePatch } from '../patching/strategic-merge-patch.ts';
import { badRequest, type ApiStatusError } from '../status-error.ts';
import { scaleOf, withScale } from '../subresources/scale.ts';
import { SCALE_TARGET } from '../subresources/scale-target.ts';
import { invalid, invalidObject } from '../validation/field-error.ts';
import { serveApply } from './apply.ts';
import { objectRequest, type Answer, type ResourceEndpointRequest } from './endpoint-request.ts';
import { fieldValidationOf, reportFieldFaults, writeOptions } from './write-options.ts';

export type PatchedSubresource = 'status' | 'scale';

export async function servePatch(request: ResourceEndpointRequest, subresource?: PatchedSubresource): Promise<Answer> {
  const type = patchTypeOf(mediaTypeOf(request.message));
  const options = writeOptions(request, 'PatchOptions');
  const body = await readBody(request.message);
  if (type === 'apply') return serveApply(request, body.toString(), options, subresource);
  const patch = parsePatch(body.toString());
  if (subresource === 'scale') return patchScale(request, type, patch, options);
  const current = getObject(request.machinery, objectRequest(request));
  const { object, warnings } = patched(request, current, type, patch, request.definition);
  requireNoEscalation(request.machinery, request.user, request.definition, object, request.namespace);
  const updated = updateObject(request.machinery, objectRequest(request), object, { ...options, ...(subresource === undefined ? {} : { subresource }) });
  return { code: 200, object: updated, warnings };
}

function patchScale(request: ResourceEndpointRequest, type: PatchType, patch: ParsedJson, options: UpdateOptions): Answer {
  const workload = getObject(request.machinery, objectRequest(request));
  const { object: scale, warnings } = patched(request, scaleOf(workload), type, patch, SCALE_TARGET);
  const updated = updateObject(request.machinery, objectRequest(request), withScale(workload, scale), options);
  return { code: 200, object: scaleOf(updated), warnings };
}

function patched(request: ResourceEndpointRequest, current: ApiObject, type: PatchType, patch: ParsedJson, target: DecodingTarget): { object: ApiObject; warnings: readonly string[] } {
  const result = apply(current, type, patch.value, target.model);
  const { object, unknownFields } = decodeObject(structuredClone(result), target);
  if (object.metadata.uid !== current.metadata.uid) {
    throw invalidObject(target.kind, { group: target.group, plural: '' }, current.metadata.name ?? '', [invalid('metadata.uid', object.metadata.uid ?? '', 'field is immutable')]);
  }
  const refuse = (detail: string): ApiStatusError => invalidObject('', { group: '', plural: '' }, '', [invalid('patch', JSON.stringify(patch.value), detail)]);
  const warnings = reportFieldFaults(fieldValidationOf(request), { unknownFields, duplicateFields: patch.duplicateFields }, refuse);
  return { object, warnings };
}

function apply(current: ApiObject, type: PatchType, patch: unknown, model: string): unknown {
  switch (type) {
    case 'json':
      return applyJsonPatch(current, patch);
    case 'strategic':
      return applyStrategicMergePatch(current, patch, model);
    default:
      if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) throw badRequest('error decoding patch: a merge patch of an object is an object');
      return applyMergePatch(current, patch);
  }
}

function parsePatch(text: string): ParsedJson {
  try {
    return parseJson(text);
  } catch (error) {
    throw badRequest(`error decoding patch: ${(error as Error).message}`);
  }
}
