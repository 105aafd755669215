import { isDeepStrictEqual } from 'node:util';
import type { ApiObject } from '../../api-object.ts';
import { forbiddenField, invalid, type FieldError } from '../../validation/field-error.ts';
import { configKeyFaults } from '../../validation/name-grammar.ts';

const IMMUTABLE = 'field is immutable when `immutable` is set';
const MAX_DATA_BYTES = 1024 * 1024;

/** Once immutable, always immutable: neither the mark nor the data may change. */
export function validateImmutability(object: ApiObject, previous: ApiObject, fields: readonly string[]): FieldError[] {
  if (previous['immutable'] !== true) return [];
  const errors: FieldError[] = [];
  if (object['immutable'] !== true) errors.push(forbiddenField('immutable', IMMUTABLE));
  for (const field of fields) {
    if (!isDeepStrictEqual(object[field], previous[field])) errors.push(forbiddenField(field, IMMUTABLE));
  }
  return errors;
}

export function validateDataKeys(data: Readonly<Record<string, string>> | undefined, field: string): FieldError[] {
  return Object.keys(data ?? {}).flatMap((key) => configKeyFaults(key).map((fault) => invalid(`${field}[${key}]`, key, fault)));
}

export function validateDataSize(totalBytes: number, field: string): FieldError[] {
  return totalBytes > MAX_DATA_BYTES ? [{ reason: 'FieldValueTooLong', field, message: `Too long: may not be more than ${MAX_DATA_BYTES} bytes` }] : [];
}
