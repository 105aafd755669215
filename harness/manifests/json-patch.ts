import { isDeepStrictEqual } from 'node:util';
import { ManifestError } from './error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from './json-value.ts';

export interface JsonPatchOperation {
  readonly op: 'add' | 'remove' | 'replace' | 'test';
  readonly path: string;
  readonly value?: JsonValue;
}

/** Applies RFC 6902 operations in place: `add`, `remove`, `replace` and `test`, which is all that the overlays use. */
export function applyJsonPatch(target: JsonObject, operations: readonly JsonPatchOperation[]): void {
  for (const operation of operations) applyOperation(target, operation);
}

function applyOperation(target: JsonObject, { op, path, value }: JsonPatchOperation): void {
  const segments = path.split('/').slice(1).map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
  const key = segments.pop();
  const parent = segments.reduce<JsonValue | undefined>((at, segment) => child(at, segment), target);
  if (key === undefined || (!isJsonObject(parent) && !Array.isArray(parent))) throw noSuchPath(op, path);
  if (op !== 'remove' && value === undefined) throw new ManifestError('MANIFEST_PATCH_FAILED', `${op} ${path} has no value`);
  if (op !== 'add' && child(parent, key) === undefined) throw noSuchPath(op, path);
  if (op === 'test') {
    if (isDeepStrictEqual(child(parent, key), value)) return;
    throw new ManifestError('MANIFEST_PATCH_FAILED', `test ${path}: the object has another value there; the patch and its base disagree`);
  }
  if (Array.isArray(parent)) {
    const index = op === 'add' && key === '-' ? parent.length : Number(key);
    if (!Number.isInteger(index) || index > parent.length) throw noSuchPath(op, path);
    parent.splice(index, op === 'add' ? 0 : 1, ...(op === 'remove' ? [] : [value as JsonValue]));
  } else if (op === 'remove') delete parent[key];
  else parent[key] = value as JsonValue;
}

function child(parent: JsonValue | undefined, key: string): JsonValue | undefined {
  if (Array.isArray(parent)) return parent[Number(key)];
  return isJsonObject(parent) && Object.hasOwn(parent, key) ? parent[key] : undefined;
}

function noSuchPath(op: string, path: string): ManifestError {
  return new ManifestError('MANIFEST_PATCH_FAILED', `${op} ${path}: the object has no such place; the patch and its base disagree`);
}
