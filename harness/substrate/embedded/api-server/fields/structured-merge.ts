import type { ApiObject } from '../api-object.ts';
import type { FieldType } from '../schema/field-type.ts';
import { isAtomicMap, isAtomicModel, listSemantics, type ListSemantics } from '../schema/list-semantics.ts';
import { modelSchema } from '../schema/model-schema.ts';
import { elementSegment } from './leaves.ts';
import type { FieldPath } from './field-path.ts';

type Json = Record<string, unknown>;

/** What an applied configuration makes of the live object: objects and keyed lists merge, the rest is replaced. */
export function mergeApplied(live: ApiObject, applied: ApiObject, model: string): ApiObject {
  return mergeModel(live, applied, model) as ApiObject;
}

function mergeModel(live: Json, applied: Json, model: string): Json {
  const { fields } = modelSchema(model);
  const result: Json = { ...live };
  for (const [name, value] of Object.entries(applied)) {
    const type: FieldType = isAtomicMap(model, name) ? { is: 'any' } : (fields.get(name) ?? { is: 'any' });
    result[name] = mergeValue(live[name], value, type, listSemantics(model, name));
  }
  return result;
}

function mergeValue(live: unknown, applied: unknown, type: FieldType, semantics: ListSemantics): unknown {
  if (isObject(live) && isObject(applied)) {
    if (type.is === 'model' && !isAtomicModel(type.model)) return mergeModel(live, applied, type.model);
    if (type.is === 'map') return { ...live, ...Object.fromEntries(Object.entries(applied).map(([key, value]) => [key, mergeValue(live[key], value, type.of, {})])) };
  }
  if (Array.isArray(live) && Array.isArray(applied) && type.is === 'list') {
    if (semantics.isSet === true) return [...live, ...applied.filter((value) => !live.includes(value))];
    if (semantics.mapKeys !== undefined) return mergeKeyed(live, applied, type.of, semantics.mapKeys);
  }
  return structuredClone(applied);
}

function mergeKeyed(live: readonly unknown[], applied: readonly unknown[], of: FieldType, keys: readonly string[]): unknown[] {
  const result = [...live];
  for (const element of applied) {
    const identity = isObject(element) ? elementSegment(element, keys) : '';
    const at = result.findIndex((candidate) => isObject(candidate) && elementSegment(candidate, keys) === identity);
    if (at < 0) result.push(structuredClone(element));
    else result[at] = mergeValue(result[at], element, of, {});
  }
  return result;
}

/** Takes a path out of an object, and what became empty by that. */
export function removePath(object: Json, path: FieldPath): void {
  const [segment, ...rest] = path;
  if (segment === undefined || !segment.startsWith('f:')) return;
  const field = segment.slice(2);
  const child = object[field];
  const next = rest[0];
  if (next === undefined) delete object[field];
  else if (next.startsWith('f:') && isObject(child)) {
    removePath(child, rest);
    if (Object.keys(child).length === 0) delete object[field];
  } else if (Array.isArray(child)) {
    object[field] = removeElement(child, next, rest.slice(1));
    if ((object[field] as unknown[]).length === 0) delete object[field];
  }
}

function removeElement(list: readonly unknown[], segment: string, rest: FieldPath): unknown[] {
  if (segment.startsWith('v:')) return list.filter((element) => `v:${JSON.stringify(element)}` !== segment);
  const keys = Object.keys(JSON.parse(segment.slice(2)) as Json);
  const matches = (element: unknown): boolean => isObject(element) && elementSegment(element, keys) === segment;
  if (rest.length === 0) return list.filter((element) => !matches(element));
  for (const element of list) if (matches(element)) removePath(element as Json, rest);
  return [...list];
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
