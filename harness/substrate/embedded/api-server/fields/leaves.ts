import type { ApiObject } from '../api-object.ts';
import type { FieldType } from '../schema/field-type.ts';
import { isAtomicMap, isAtomicModel, listSemantics, type ListSemantics } from '../schema/list-semantics.ts';
import { modelSchema } from '../schema/model-schema.ts';
import { pathKey } from './field-path.ts';

/** Fields that nobody owns: they identify the object, or the server sets them. */
const UNOWNED_METADATA = new Set(['name', 'namespace', 'uid', 'creationTimestamp', 'resourceVersion', 'generation', 'managedFields', 'selfLink', 'generateName', 'deletionTimestamp', 'deletionGracePeriodSeconds']);
const UNOWNED = new Set(['apiVersion', 'kind']);

/** Everything in an object that can be owned, with its value: scalars, atomic parts, and elements of keyed lists themselves. */
export function leavesOf(object: ApiObject, model: string): Map<string, unknown> {
  const leaves = new Map<string, unknown>();
  new LeafCollector(leaves).model(object, model, []);
  return leaves;
}

class LeafCollector {
  readonly #leaves: Map<string, unknown>;

  constructor(leaves: Map<string, unknown>) {
    this.#leaves = leaves;
  }

  model(value: Record<string, unknown>, model: string, path: readonly string[]): void {
    const { fields } = modelSchema(model);
    for (const [name, child] of Object.entries(value)) {
      if (path.length === 0 && UNOWNED.has(name)) continue;
      if (path.length === 1 && path[0] === 'f:metadata' && UNOWNED_METADATA.has(name)) continue;
      const type = isAtomicMap(model, name) ? ({ is: 'any' } as const) : (fields.get(name) ?? ({ is: 'any' } as const));
      this.#value(child, type, listSemantics(model, name), [...path, `f:${name}`]);
    }
  }

  #value(value: unknown, type: FieldType, semantics: ListSemantics, path: readonly string[]): void {
    if (type.is === 'model' && !isAtomicModel(type.model) && isFilledObject(value)) this.model(value, type.model, path);
    else if (type.is === 'map' && isFilledObject(value)) {
      for (const [key, child] of Object.entries(value)) this.#value(child, type.of, {}, [...path, `f:${key}`]);
    } else if (type.is === 'list' && Array.isArray(value) && semantics.mapKeys !== undefined) this.#keyedList(value, type.of, semantics.mapKeys, path);
    else if (type.is === 'list' && Array.isArray(value) && semantics.isSet === true) {
      for (const element of value) this.#leaves.set(pathKey([...path, `v:${JSON.stringify(element)}`]), element);
    } else this.#leaves.set(pathKey(path), value);
  }

  #keyedList(list: readonly unknown[], of: FieldType, keys: readonly string[], path: readonly string[]): void {
    for (const element of list) {
      if (!isFilledObject(element)) continue;
      const elementPath = [...path, elementSegment(element, keys)];
      this.#leaves.set(pathKey(elementPath), null);
      this.#value(element, of, {}, elementPath);
    }
  }
}

/** How FieldsV1 names an element of a keyed list. A protocol that was left out is TCP, the one default among the keys. */
export function elementSegment(element: Record<string, unknown>, keys: readonly string[]): string {
  const identity = keys.toSorted().map((key) => [key, element[key] ?? (key === 'protocol' ? 'TCP' : undefined)] as const);
  return `k:${JSON.stringify(Object.fromEntries(identity.filter(([, value]) => value !== undefined)))}`;
}

function isFilledObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;
}
