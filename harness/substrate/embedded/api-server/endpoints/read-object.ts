import type { ApiObject } from '../api-object.ts';
import { decodeObject, type DecodingTarget } from '../decoding/decode-object.ts';
import { mediaTypeOf, parseBody, readBody } from '../http/request-body.ts';
import type { EndpointRequest } from './endpoint-request.ts';
import { fieldValidationOf, refuseBody, reportFieldFaults } from './write-options.ts';

export interface ReadObject {
  readonly object: ApiObject;
  readonly warnings: readonly string[];
}

/** Reads the object in the body of a creation or replacement. */
export async function readObject(request: EndpointRequest, target: DecodingTarget): Promise<ReadObject> {
  const body = await readBody(request.message);
  const { value, duplicateFields } = parseBody(body, mediaTypeOf(request.message), target.kind);
  const { object, unknownFields } = decodeObject(value, target);
  request.audit.requestedWith(object);
  const warnings = reportFieldFaults(fieldValidationOf(request), { unknownFields, duplicateFields }, refuseBody(target.kind, target.version));
  return { object, warnings };
}
