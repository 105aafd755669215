/** The type of a field, from the attribute maps that the official client generates from Kubernetes' OpenAPI. */
export type FieldType =
  | { readonly is: 'string' | 'bytes' | 'time' | 'boolean' | 'integer' | 'number' | 'int-or-string' | 'any' }
  | { readonly is: 'list' | 'map'; readonly of: FieldType }
  | { readonly is: 'model'; readonly model: string };

const LIST = /^Array<(.+)>$/;
const MAP = /^\{ \[key: string\]: (.+?);? \}$/;

export function parseFieldType(type: string, format: string): FieldType {
  const list = LIST.exec(type)?.[1];
  if (list !== undefined) return { is: 'list', of: parseFieldType(list, format) };
  const map = MAP.exec(type)?.[1];
  if (map !== undefined) return { is: 'map', of: parseFieldType(map, format) };
  switch (type) {
    case 'string':
      return { is: format === 'byte' ? 'bytes' : format === 'int-or-string' ? 'int-or-string' : 'string' };
    case 'boolean':
      return { is: 'boolean' };
    case 'number':
      return { is: format === 'double' ? 'number' : 'integer' };
    case 'Date':
    case 'V1MicroTime':
      return { is: 'time' };
    case 'IntOrString':
      return { is: 'int-or-string' };
    case 'any':
    case 'object':
      return { is: 'any' };
    default:
      return { is: 'model', model: type };
  }
}
