import type { ApiObject } from '../../api-object.ts';
import { AGE, count, NAME } from '../../printing/common-columns.ts';
import { invalid, type FieldError } from '../../validation/field-error.ts';
import { defineResource } from '../define-resource.ts';
import { validateDataKeys, validateDataSize, validateImmutability } from './immutable-data.ts';

export const CONFIG_MAP = defineResource({
  group: '',
  version: 'v1',
  plural: 'configmaps',
  kind: 'ConfigMap',
  shortNames: ['cm'],
  columns: [NAME, count('Data', (map) => Object.keys({ ...strings(map, 'data'), ...strings(map, 'binaryData') }).length), AGE],
  strategy: {
    validate,
    validateUpdate: (map, previous) => validateImmutability(map, previous, ['data', 'binaryData']),
  },
});

function strings(map: ApiObject, field: string): Record<string, string> {
  return (map[field] ?? {}) as Record<string, string>;
}

function validate(map: ApiObject): FieldError[] {
  const [data, binary] = [strings(map, 'data'), strings(map, 'binaryData')];
  const size = Object.values(data).reduce((sum, value) => sum + Buffer.byteLength(value), 0) + Object.values(binary).reduce((sum, value) => sum + Buffer.byteLength(value, 'base64'), 0);
  const twice = Object.keys(data).filter((key) => Object.hasOwn(binary, key));
  return [
    ...validateDataKeys(data, 'data'),
    ...twice.map((key) => invalid(`data[${key}]`, key, 'duplicate of key present in binaryData')),
    ...validateDataKeys(binary, 'binaryData'),
    ...validateDataSize(size, ''),
  ];
}
