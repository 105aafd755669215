import type { ApiObject } from '../api-object.ts';
import { badRequest } from '../status-error.ts';

export type SelectableFields = (object: ApiObject) => Record<string, string>;
export type FieldMatcher = (object: ApiObject) => boolean;

interface Term {
  readonly field: string;
  readonly equal: boolean;
  readonly value: string;
}

const SUPPORTED_EVERYWHERE = new Set(['metadata.name', 'metadata.namespace']);
const PROBE: ApiObject = { apiVersion: '', kind: '', metadata: {} };

/** Parses the field selector of a query string; throws 400 for a field that the kind cannot be selected by. */
export function parseFieldSelector(text: string | undefined, selectableFields: SelectableFields | undefined): FieldMatcher {
  if (text === undefined || text.trim() === '') return () => true;
  const terms = text.split(/(?<!\\),/).filter((term) => term !== '').map(parseTerm);
  const supported = new Set([...SUPPORTED_EVERYWHERE, ...Object.keys(selectableFields?.(PROBE) ?? {})]);
  for (const { field } of terms) {
    if (!supported.has(field)) throw badRequest(`field label not supported: ${field}`);
  }
  return (object) => {
    const fields: Record<string, string> = {
      ...selectableFields?.(object),
      'metadata.name': object.metadata.name ?? '',
      'metadata.namespace': object.metadata.namespace ?? '',
    };
    return terms.every(({ field, equal, value }) => (fields[field] === value) === equal);
  };
}

function parseTerm(text: string): Term {
  const match = /^([^=!]+)(==|!=|=)((?:[^\\,=]|\\[\\,=])*)$/.exec(text);
  if (match === null) throw badRequest(`invalid selector: '${text}'; can't understand '${text}'`);
  const [, field = '', operator, value = ''] = match;
  return { field, equal: operator !== '!=', value: value.replaceAll(/\\([\\,=])/g, '$1') };
}
