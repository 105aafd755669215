import type { WriteOptions } from '../operations/resource-request.ts';
import { badRequest, type ApiStatusError } from '../status-error.ts';
import { invalid, invalidObject, notSupported, type FieldError } from '../validation/field-error.ts';
import type { EndpointRequest } from './endpoint-request.ts';

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

const FIELD_VALIDATIONS: readonly string[] = ['Ignore', 'Strict', 'Warn'];
const MAX_MANAGER_LENGTH = 128;

/** The options of a write in the query string. */
export function writeOptions({ info, message }: EndpointRequest, kind: string): WriteOptions & { readonly dryRun: boolean; readonly fieldManager: string } {
  const dryRun = info.query.getAll('dryRun').filter((value) => value !== '');
  const manager = info.query.get('fieldManager') ?? '';
  const errors: FieldError[] = [
    ...dryRun.filter((value) => value !== 'All').map((value) => notSupported('dryRun', value, ['All'])),
    ...(manager.length > MAX_MANAGER_LENGTH ? [{ reason: 'FieldValueTooLong' as const, field: 'fieldManager', message: `Too long: may not be more than ${MAX_MANAGER_LENGTH} bytes` }] : []),
    ...(/[^\P{C}]/u.test(manager) ? [invalid('fieldManager', manager, 'should only contain printable characters')] : []),
  ];
  const validation = info.query.get('fieldValidation') ?? '';
  if (validation !== '' && !FIELD_VALIDATIONS.includes(validation)) errors.push(notSupported('fieldValidation', validation, FIELD_VALIDATIONS));
  if (errors.length > 0) throw invalidObject(kind, { group: 'meta.k8s.io', plural: '' }, '', errors);
  return { dryRun: dryRun.length > 0, fieldManager: manager === '' ? managerOfUserAgent(message.headers['user-agent'] ?? '') : manager };
}

/** Without a name of its own a manager is known by the first part of its user agent. */
function managerOfUserAgent(userAgent: string): string {
  const name = userAgent.split('/', 1)[0]?.trim() ?? '';
  return name === '' ? 'unknown' : name.slice(0, MAX_MANAGER_LENGTH);
}

export function fieldValidationOf({ info }: EndpointRequest): FieldValidation {
  return (info.query.get('fieldValidation') || 'Warn') as FieldValidation;
}

/** Refuses unknown and duplicate fields when validation is strict; otherwise returns the warnings about them. */
export function reportFieldFaults(validation: FieldValidation, faults: { unknownFields: readonly string[]; duplicateFields: readonly string[] }, refuse: (detail: string) => ApiStatusError): readonly string[] {
  if (validation === 'Ignore') return [];
  const unknown = new Set(faults.unknownFields);
  const told = [...faults.unknownFields.map((path) => `unknown field ${JSON.stringify(path)}`), ...faults.duplicateFields.filter((path) => !unknown.has(path)).map((path) => `duplicate field ${JSON.stringify(path)}`)];
  if (told.length > 0 && validation === 'Strict') throw refuse(`strict decoding error: ${told.join(', ')}`);
  return told;
}

export function refuseBody(kind: string, version: string): (detail: string) => ApiStatusError {
  return (detail) => badRequest(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${detail}`);
}
