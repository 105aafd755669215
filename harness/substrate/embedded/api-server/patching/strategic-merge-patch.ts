import type { FieldType } from '../schema/field-type.ts';
import { listSemantics, type ListSemantics } from '../schema/list-semantics.ts';
import { modelSchema } from '../schema/model-schema.ts';
import { badRequest } from '../status-error.ts';
import { applyMergePatch } from './merge-patch.ts';
import { inElementOrder } from './element-order.ts';

type Json = Record<string, unknown>;

const DELETE_FROM_LIST = '$deleteFromPrimitiveList/';
const ELEMENT_ORDER = '$setElementOrder/';

/**
 * Kubernetes' strategic merge patch: a merge patch in which lists with a merge key merge by element, steered by the directives
 * $patch, $retainKeys, $deleteFromPrimitiveList and $setElementOrder. Neither argument is altered.
 */
export function applyStrategicMergePatch(target: unknown, patch: unknown, model: string): unknown {
  if (!isObject(patch)) throw badRequest('error decoding patch: a strategic merge patch is an object');
  return mergeObject(isObject(target) ? target : {}, patch, { is: 'model', model });
}

function mergeObject(target: Json, patch: Json, type: FieldType): Json {
  const directive = patch['$patch'];
  if (directive === 'replace') return withoutDirectives(patch);
  if (directive === 'delete') return {};
  if (directive !== undefined && directive !== 'merge') throw badRequest(`unrecognized patch type: ${JSON.stringify(directive)}`);
  const result: Json = { ...target };
  retainKeys(result, patch);
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith(DELETE_FROM_LIST)) removeScalars(result, key.slice(DELETE_FROM_LIST.length), value);
    else if (key.startsWith('$')) continue;
    else if (value === null) delete result[key];
    else result[key] = mergeValue(result[key], value, fieldOf(type, key));
  }
  for (const [key, order] of Object.entries(patch)) {
    if (!key.startsWith(ELEMENT_ORDER)) continue;
    const field = key.slice(ELEMENT_ORDER.length);
    if (Array.isArray(result[field]) && Array.isArray(order)) {
      result[field] = inElementOrder(result[field], order, (target[field] ?? []) as unknown[], fieldOf(type, field).semantics.patchMergeKey);
    }
  }
  return result;
}

interface Field {
  readonly type: FieldType;
  readonly semantics: ListSemantics;
}

function fieldOf(type: FieldType, key: string): Field {
  if (type.is === 'map') return { type: type.of, semantics: {} };
  if (type.is !== 'model') return { type: { is: 'any' }, semantics: {} };
  return { type: modelSchema(type.model).fields.get(key) ?? { is: 'any' }, semantics: listSemantics(type.model, key) };
}

function mergeValue(target: unknown, patch: unknown, { type, semantics }: Field): unknown {
  if (isObject(patch)) {
    if (type.is === 'model' || type.is === 'map') return mergeObject(isObject(target) ? target : {}, patch, type);
    return applyMergePatch(target, patch);
  }
  if (!Array.isArray(patch) || type.is !== 'list') return structuredClone(patch);
  const existing = Array.isArray(target) ? target : [];
  if (semantics.patchMergeKey !== undefined) return mergeByKey(existing, patch, type.of, semantics.patchMergeKey);
  if (semantics.patchMergesScalars === true) return [...existing, ...patch.filter((value) => !existing.includes(value))];
  return patch.filter((element) => !(isObject(element) && element['$patch'] !== undefined && Object.keys(element).length === 1)).map((element) => structuredClone(element) as unknown);
}

function mergeByKey(target: readonly unknown[], patch: readonly unknown[], of: FieldType, key: string): unknown[] {
  const replacesAll = patch.some((element) => isObject(element) && element['$patch'] === 'replace');
  const result = replacesAll ? [] : [...target];
  for (const element of patch) {
    if (!isObject(element)) throw badRequest('error decoding patch: the elements of a list with a merge key are objects');
    if (element['$patch'] === 'replace') continue;
    const identity = element[key];
    if (identity === undefined) throw badRequest(`map: ${JSON.stringify(element)} does not contain declared merge key: ${key}`);
    const at = result.findIndex((candidate) => isObject(candidate) && candidate[key] === identity);
    if (element['$patch'] === 'delete') {
      if (at >= 0) result.splice(at, 1);
    } else if (at < 0) result.push(mergeObject({}, element, of));
    else result[at] = mergeObject(result[at] as Json, element, of);
  }
  return result;
}

function retainKeys(result: Json, patch: Json): void {
  const retained = patch['$retainKeys'];
  if (!Array.isArray(retained)) return;
  for (const key of Object.keys(result)) if (!retained.includes(key)) delete result[key];
}

function removeScalars(result: Json, field: string, values: unknown): void {
  const list = result[field];
  if (Array.isArray(list) && Array.isArray(values)) result[field] = list.filter((value) => !values.includes(value));
}

function withoutDirectives(patch: Json): Json {
  return Object.fromEntries(Object.entries(patch).filter(([key]) => !key.startsWith('$')));
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
