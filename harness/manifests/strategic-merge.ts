import { isJsonObject, type JsonObject, type JsonValue } from './json-value.ts';

/**
 * The lists that merge by a key; every other list is replaced as a whole.
 * Source: the `patchMergeKey` tags of the Kubernetes API types.
 */
const MERGE_KEYS: Readonly<Record<string, string>> = {
  containers: 'name',
  initContainers: 'name',
  env: 'name',
  volumes: 'name',
  volumeMounts: 'mountPath',
};

/** A strategic merge patch: maps merge, `null` removes, lists of named things merge by their name. Nothing given is changed. */
export function strategicMerge(base: JsonObject, patch: JsonObject): JsonObject {
  const merged: JsonObject = { ...base };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else merged[key] = mergeValue(key, merged[key], value);
  }
  return merged;
}

function mergeValue(key: string, base: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (isJsonObject(base) && isJsonObject(patch)) return strategicMerge(base, patch);
  const mergeKey = MERGE_KEYS[key];
  if (mergeKey !== undefined && Array.isArray(base) && Array.isArray(patch)) return mergeByKey(mergeKey, base, patch);
  return structuredClone(patch);
}

function mergeByKey(mergeKey: string, base: JsonValue[], patch: JsonValue[]): JsonValue[] {
  const nameOf = (item: JsonValue | undefined) => (isJsonObject(item) ? item[mergeKey] : undefined);
  const added = patch.filter((item) => !base.some((existing) => nameOf(existing) === nameOf(item)));
  const kept = base.map((existing) => {
    const change = patch.find((item) => nameOf(item) === nameOf(existing));
    return isJsonObject(existing) && isJsonObject(change) ? strategicMerge(existing, change) : existing;
  });
  return [...structuredClone(added), ...kept];
}
