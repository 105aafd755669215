import type { ApiObject } from '../../api-object.ts';
import { AGE, count, NAME, text } from '../../printing/common-columns.ts';
import { invalid, required, type FieldError } from '../../validation/field-error.ts';
import { defineResource } from '../define-resource.ts';
import { validateDataKeys, validateDataSize, validateImmutability } from './immutable-data.ts';

/** Keys without which a Secret of that type is refused. */
const REQUIRED_KEYS: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
};

export const SECRET = defineResource({
  group: '',
  version: 'v1',
  plural: 'secrets',
  kind: 'Secret',
  columns: [NAME, text('Type', (secret) => typeOf(secret)), count('Data', (secret) => Object.keys(dataOf(secret)).length), AGE],
  strategy: {
    setDefaults: (draft) => {
      mergeStringData(draft);
      draft['type'] ||= 'Opaque';
    },
    prepareForUpdate: (draft, previous) => {
      if (draft['type'] === undefined) draft['type'] = previous['type'];
    },
    validate,
    validateUpdate: (secret, previous) => [
      ...(secret['type'] === previous['type'] ? [] : [invalid('type', secret['type'], 'field is immutable')]),
      ...validateImmutability(secret, previous, ['data']),
    ],
    selectableFields: (secret) => ({ type: typeOf(secret) }),
  },
});

function typeOf(secret: ApiObject): string {
  return (secret['type'] as string | undefined) ?? '';
}

function dataOf(secret: ApiObject): Record<string, string> {
  return (secret['data'] ?? {}) as Record<string, string>;
}

/** stringData is for writing only. */
function mergeStringData(draft: ApiObject): void {
  const plain = draft['stringData'] as Record<string, string> | undefined;
  if (plain === undefined) return;
  const encoded = Object.entries(plain).map(([key, value]) => [key, Buffer.from(value).toString('base64')]);
  draft['data'] = { ...dataOf(draft), ...Object.fromEntries(encoded) };
  delete draft['stringData'];
}

function validate(secret: ApiObject): FieldError[] {
  const data = dataOf(secret);
  const type = typeOf(secret);
  const size = Object.values(data).reduce((sum, value) => sum + Buffer.byteLength(value, 'base64'), 0);
  const errors = [...validateDataKeys(data, 'data'), ...validateDataSize(size, 'data')];
  for (const key of REQUIRED_KEYS[type] ?? []) {
    if (data[key] === undefined) errors.push(required(`data[${key}]`));
  }
  if (type === 'kubernetes.io/service-account-token' && (secret.metadata.annotations?.['kubernetes.io/service-account.name'] ?? '') === '') {
    errors.push(required('metadata.annotations[kubernetes.io/service-account.name]'));
  }
  return errors;
}
