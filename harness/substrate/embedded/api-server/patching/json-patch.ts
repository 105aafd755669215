import { isDeepStrictEqual } from 'node:util';
import { ApiStatusError, badRequest } from '../status-error.ts';

interface Operation {
  readonly op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test';
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

/** What the real API server takes at most. */
const MAX_OPERATIONS = 10_000;
const NEEDS_VALUE = new Set(['add', 'replace', 'test']);
const NEEDS_FROM = new Set(['move', 'copy']);

/** JSON Patch, RFC 6902. A patch that is none is 400, one that does not fit the object is 422. The target is not altered. */
export function applyJsonPatch(target: unknown, patch: unknown): unknown {
  const operations = parseOperations(patch);
  let document = structuredClone(target);
  for (const operation of operations) document = apply(document, operation);
  return document;
}

function parseOperations(patch: unknown): Operation[] {
  if (!Array.isArray(patch)) throw badRequest('error decoding patch: json: cannot unmarshal object into Go value of type jsonpatch.Patch: a JSON Patch is an array of operations');
  if (patch.length > MAX_OPERATIONS) throw new ApiStatusError(413, 'RequestEntityTooLarge', `The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${patch.length}`);
  return patch.map((entry: unknown, index) => {
    const { op, path, from } = (entry ?? {}) as Partial<Record<keyof Operation, unknown>>;
    const known = typeof op === 'string' && ['add', 'remove', 'replace', 'move', 'copy', 'test'].includes(op);
    if (!known) throw refused(`Unexpected kind: ${String(op)} in operation ${index}`);
    if (typeof path !== 'string' || (NEEDS_FROM.has(op) && typeof from !== 'string')) throw badRequest(`error decoding patch: operation ${index} has no path${NEEDS_FROM.has(op) ? ' or from' : ''}`);
    if (NEEDS_VALUE.has(op) && !Object.hasOwn(entry as object, 'value')) throw badRequest(`error decoding patch: operation ${index} (${op}) has no value`);
    return entry as Operation;
  });
}

/** Kubernetes keeps the reason to itself; here it is told as a cause. */
function refused(message: string): ApiStatusError {
  return new ApiStatusError(422, 'Invalid', 'the server rejected our request due to an error in our request', { causes: [{ message }] });
}

function apply(document: unknown, { op, path, from = '', value }: Operation): unknown {
  const segments = parsePointer(path);
  switch (op) {
    case 'add':
      return insert(document, segments, structuredClone(value), path);
    case 'remove':
      return extract(document, segments, path).document;
    case 'replace':
      lookUp(document, segments, path);
      return segments.length === 0 ? structuredClone(value) : overwrite(document, segments, structuredClone(value), path);
    case 'copy':
      return insert(document, segments, structuredClone(lookUp(document, parsePointer(from), from)), path);
    case 'move': {
      const { document: rest, value: moved } = extract(document, parsePointer(from), from);
      return insert(rest, segments, moved, path);
    }
    case 'test': {
      const found = find(document, segments);
      if (!isDeepStrictEqual(found, value) && !(found === undefined && value === null)) throw refused(`testing value ${path} failed: test failed`);
      return document;
    }
  }
}

function parsePointer(pointer: string): string[] {
  if (pointer === '') return [];
  if (!pointer.startsWith('/')) throw refused(`${JSON.stringify(pointer)} is no JSON pointer: it must be empty or start with /`);
  return pointer.slice(1).split('/').map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function find(document: unknown, segments: readonly string[]): unknown {
  return segments.reduce<unknown>((value, segment) => {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, segment)) return undefined;
    return (value as Record<string, unknown>)[segment];
  }, document);
}

function lookUp(document: unknown, segments: readonly string[], path: string): unknown {
  const value = find(document, segments);
  if (value === undefined) throw refused(`${path} does not exist: missing value`);
  return value;
}

function parentOf(document: unknown, segments: readonly string[], path: string): { parent: Record<string, unknown> | unknown[]; key: string } {
  const parent = find(document, segments.slice(0, -1));
  if (typeof parent !== 'object' || parent === null) throw refused(`the parent of ${path} does not exist: missing path`);
  const key = segments.at(-1) as string;
  if (key === '__proto__') throw refused(`${path} names no field`);
  return { parent: parent as Record<string, unknown> | unknown[], key };
}

function insert(document: unknown, segments: readonly string[], value: unknown, path: string): unknown {
  if (segments.length === 0) return value;
  const { parent, key } = parentOf(document, segments, path);
  if (!Array.isArray(parent)) parent[key] = value;
  else {
    const index = key === '-' ? parent.length : Number(key);
    if (!/^(?:-|\d+)$/.test(key) || index > parent.length) throw refused(`${path}: unable to access invalid index: ${key}`);
    parent.splice(index, 0, value);
  }
  return document;
}

function overwrite(document: unknown, segments: readonly string[], value: unknown, path: string): unknown {
  const { parent, key } = parentOf(document, segments, path);
  (parent as Record<string, unknown>)[key] = value;
  return document;
}

function extract(document: unknown, segments: readonly string[], path: string): { document: unknown; value: unknown } {
  const value = lookUp(document, segments, path);
  if (segments.length === 0) return { document: null, value };
  const { parent, key } = parentOf(document, segments, path);
  if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else delete parent[key];
  return { document, value };
}
