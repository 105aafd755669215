/**
 * RFC 8785 (JSON Canonicalization Scheme): keys sorted by UTF-16 code units, numbers and strings as ECMAScript
 * serialises them, no white space. Two equal values have equal bytes, so reports are compared by their text.
 */
export function canonicalJson(value: unknown): string {
  return serialise(value, '$');
}

function serialise(value: unknown, path: string): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return serialiseString(value, path);
  if (typeof value === 'number') return serialiseNumber(value, path);
  if (Array.isArray(value)) return `[${value.map((item, index) => serialise(item, `${path}[${index}]`)).join(',')}]`;
  if (typeof value === 'object') return serialiseObject(value as Record<string, unknown>, path);
  throw new TypeError(`${path}: expected a JSON value, got ${typeof value}`);
}

function serialiseObject(value: Record<string, unknown>, path: string): string {
  const members = Object.keys(value)
    .sort()
    .map((key) => `${serialiseString(key, path)}:${serialise(value[key], `${path}.${key}`)}`);
  return `{${members.join(',')}}`;
}

function serialiseNumber(value: number, path: string): string {
  if (!Number.isFinite(value)) throw new TypeError(`${path}: expected a finite number, got ${value}`);
  return JSON.stringify(value);
}

/** A lone surrogate has no UTF-8 form, so it cannot be part of a document whose bytes are compared. */
function serialiseString(value: string, path: string): string {
  if (/\p{Surrogate}/u.test(value)) throw new TypeError(`${path}: expected well-formed Unicode, got a lone surrogate`);
  return JSON.stringify(value);
}
