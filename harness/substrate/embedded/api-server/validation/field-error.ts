import { ApiStatusError, qualifiedResourceName, type QualifiedResource } from '../status-error.ts';

/** One fault of an object, worded as Kubernetes' field.Error. */
export interface FieldError {
  readonly reason: 'FieldValueRequired' | 'FieldValueInvalid' | 'FieldValueNotSupported' | 'FieldValueForbidden' | 'FieldValueDuplicate' | 'FieldValueTooLong' | 'FieldValueNotFound' | 'FieldValueTypeInvalid';
  readonly field: string;
  readonly message: string;
}

export function required(field: string, detail = ''): FieldError {
  return { reason: 'FieldValueRequired', field, message: `Required value${detail === '' ? '' : `: ${detail}`}` };
}

export function invalid(field: string, value: unknown, detail: string): FieldError {
  return { reason: 'FieldValueInvalid', field, message: `Invalid value: ${shown(value)}: ${detail}` };
}

export function notSupported(field: string, value: unknown, supported: readonly string[]): FieldError {
  const choices = supported.toSorted().map((choice) => JSON.stringify(choice)).join(', ');
  return { reason: 'FieldValueNotSupported', field, message: `Unsupported value: ${shown(value)}: supported values: ${choices}` };
}

export function forbiddenField(field: string, detail: string): FieldError {
  return { reason: 'FieldValueForbidden', field, message: `Forbidden: ${detail}` };
}

export function duplicate(field: string, value: unknown): FieldError {
  return { reason: 'FieldValueDuplicate', field, message: `Duplicate value: ${shown(value)}` };
}

export function tooLong(field: string, maximum: number): FieldError {
  return { reason: 'FieldValueTooLong', field, message: `Too long: may not be more than ${maximum} bytes` };
}

export function fieldNotFound(field: string, value: unknown): FieldError {
  return { reason: 'FieldValueNotFound', field, message: `Not found: ${shown(value)}` };
}

function shown(value: unknown): string {
  return JSON.stringify(value) ?? 'null';
}

/** The 422 answer that carries every fault, each once. */
export function invalidObject(kind: string, resource: QualifiedResource, name: string, errors: readonly FieldError[]): ApiStatusError {
  const subject = qualifiedResourceName({ group: resource.group, plural: kind });
  const messages = [...new Set(errors.map((error) => `${error.field}: ${error.message}`))];
  const told = messages.length === 1 ? messages[0] : `[${messages.join(', ')}]`;
  return new ApiStatusError(422, 'Invalid', `${subject} ${JSON.stringify(name)} is invalid: ${told}`, {
    ...(name === '' ? {} : { name }),
    ...(resource.group === '' ? {} : { group: resource.group }),
    kind,
    causes: errors.map((error) => ({ reason: error.reason, message: error.message, field: error.field })),
  });
}
