import { requireNoEscalation } from '../authorization/privilege-escalation.ts';
import { decodeObject } from '../decoding/decode-object.ts';
import { parseYaml } from '../http/request-body.ts';
import { isTrue } from '../http/request-info.ts';
import { applyConfiguration, applyEntry } from '../fields/server-side-apply.ts';
import { leavesOf } from '../fields/leaves.ts';
import { withFields } from '../fields/managed-fields.ts';
import { createObject } from '../operations/create-object.ts';
import type { WriteOptions } from '../operations/resource-request.ts';
import { updateObject } from '../operations/update-object.ts';
import { storageName } from '../resources/resource-definition.ts';
import { badRequest, notFound, notImplemented } from '../status-error.ts';
import { invalidObject, required } from '../validation/field-error.ts';
import { objectRequest, type Answer, type ResourceEndpointRequest } from './endpoint-request.ts';
import { fieldValidationOf, refuseBody, reportFieldFaults } from './write-options.ts';
import { parseJson } from '../decoding/json-text.ts';

/** PATCH with application/apply-patch+yaml: server-side apply, which also creates. */
export async function serveApply(request: ResourceEndpointRequest, text: string, options: WriteOptions, subresource?: 'status' | 'scale'): Promise<Answer> {
  const { definition, machinery, info, namespace, user, attributes } = request;
  if (subresource === 'scale') throw notImplemented('server-side apply of the subresource scale is not implemented');
  const manager = info.query.get('fieldManager') ?? '';
  if (manager === '') throw invalidObject('PatchOptions', { group: 'meta.k8s.io', plural: '' }, '', [required('fieldManager', 'is required for apply patch')]);
  const { value, duplicateFields } = text.trimStart().startsWith('{') ? parseJson(text) : { value: parseYaml(text), duplicateFields: [] };
  const { object: applied, unknownFields } = decodeObject(value, definition);
  request.audit.requestedWith(applied);
  const warnings = reportFieldFaults(fieldValidationOf(request), { unknownFields, duplicateFields }, refuseBody(definition.kind, definition.version));
  if (applied.metadata.managedFields !== undefined) throw badRequest('metadata.managedFields must be nil');
  applied.metadata.name ??= attributes.name;
  requireNoEscalation(machinery, user, definition, applied, namespace);
  const applier = { manager, force: isTrue(info.query.get('force')), ...(subresource === undefined ? {} : { subresource }) };
  const live = machinery.store.get(storageName(definition), namespace, attributes.name);
  if (live === null) {
    if (subresource !== undefined || applied.metadata.uid !== undefined) throw notFound(definition, attributes.name);
    const managedFields = withFields(applyEntry(definition, applier), new Set(leavesOf(applied, definition.model).keys()));
    return { code: 201, object: createObject(machinery, { definition, namespace, user: user.username }, applied, { ...options, managedFields }), warnings };
  }
  const draft = applyConfiguration(live, applied, definition, applier);
  const updated = updateObject(machinery, objectRequest(request), draft, { ...options, managedFieldsAreFinal: true, ...(subresource === undefined ? {} : { subresource }) });
  return { code: 200, object: updated, warnings };
}
