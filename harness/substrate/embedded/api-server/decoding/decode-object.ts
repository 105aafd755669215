import type { ApiObject } from '../api-object.ts';
import { apiVersionOf } from '../resources/resource-definition.ts';
import type { FieldType } from '../schema/field-type.ts';
import { modelSchema } from '../schema/model-schema.ts';
import { badRequest } from '../status-error.ts';

export interface DecodedObject {
  readonly object: ApiObject;
  /** Paths of fields that the type does not have; they are not in the object. */
  readonly unknownFields: readonly string[];
}

export interface DecodingTarget {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly model: string;
}

/**
 * Reads a value as an object of a built-in type as Go's decoder does: unknown fields are left out and reported, null counts as absent,
 * a value of a wrong type is refused.
 */
export function decodeObject(value: unknown, target: DecodingTarget): DecodedObject {
  requireTypeMeta(value, target);
  const decoder = new Decoder(target);
  const object = decoder.model(value, target.model, '') as ApiObject;
  object.metadata ??= {};
  return { object, unknownFields: decoder.unknownFields };
}

function requireTypeMeta(value: unknown, target: DecodingTarget): asserts value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw badRequest(`the object provided is unrecognized (must be of type ${target.kind}): couldn't get version/kind; json parse error: json: cannot unmarshal ${goTypeOf(value)} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`);
  }
  const given = value as { apiVersion?: unknown; kind?: unknown };
  const expectedVersion = apiVersionOf(target);
  if ((given.apiVersion ?? '') === '') given.apiVersion = expectedVersion;
  if ((given.kind ?? '') === '') given.kind = target.kind;
  if (given.apiVersion !== expectedVersion) {
    throw badRequest(`the API version in the data (${String(given.apiVersion)}) does not match the expected API version (${expectedVersion})`);
  }
  if (given.kind !== target.kind) {
    throw badRequest(`${String(given.kind)} in version ${JSON.stringify(target.version)} cannot be handled as a ${target.kind}: the body is of another kind`);
  }
}

class Decoder {
  readonly unknownFields: string[] = [];
  readonly #target: DecodingTarget;

  constructor(target: DecodingTarget) {
    this.#target = target;
  }

  model(value: unknown, model: string, path: string): Record<string, unknown> {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw this.#mismatch(value, path, goName(model));
    const { fields } = modelSchema(model);
    const result: Record<string, unknown> = {};
    for (const [name, given] of Object.entries(value)) {
      const fieldPath = path === '' ? name : `${path}.${name}`;
      const type = fields.get(name);
      if (type === undefined) this.unknownFields.push(fieldPath);
      else if (given !== null) {
        const decoded = this.#field(given, type, fieldPath);
        const isZero = decoded === '' && type.is === 'string' && !EMPTY_IS_MEANT.has(name);
        if (decoded !== undefined && !isZero) result[name] = decoded;
      }
    }
    return result;
  }

  #field(value: unknown, type: FieldType, path: string): unknown {
    switch (type.is) {
      case 'any':
        return value;
      case 'model':
        return this.model(value, type.model, path);
      case 'list':
        if (!Array.isArray(value)) throw this.#mismatch(value, path, `[]${goNameOf(type.of)}`);
        return value.length === 0 ? undefined : value.map((item, index) => this.#element(item, type.of, `${path}[${index}]`));
      case 'map': {
        if (typeof value !== 'object' || Array.isArray(value) || value === null) throw this.#mismatch(value, path, `map[string]${goNameOf(type.of)}`);
        const entries = Object.entries(value);
        if (entries.length === 0) return undefined;
        return Object.fromEntries(entries.map(([key, item]) => [key, this.#element(item, type.of, `${path}.${key}`)]));
      }
      default:
        return this.#scalar(value, type.is, path);
    }
  }

  #element(value: unknown, type: FieldType, path: string): unknown {
    if (value === null) return type.is === 'string' || type.is === 'bytes' ? '' : type.is === 'model' ? {} : null;
    const decoded = this.#field(value, type, path);
    return decoded === undefined ? (type.is === 'list' ? [] : {}) : decoded;
  }

  #scalar(value: unknown, type: 'string' | 'bytes' | 'time' | 'boolean' | 'integer' | 'number' | 'int-or-string', path: string): unknown {
    switch (type) {
      case 'string':
        // Quantities are strings to the schema; Kubernetes reads numbers as quantities too.
        if (typeof value === 'number' && QUANTITY_PATH.test(path)) return String(value);
        if (typeof value !== 'string') throw this.#mismatch(value, path, 'string');
        return value;
      case 'time':
        if (typeof value !== 'string' || Number.isNaN(Date.parse(value))) throw this.#fault(`parsing time ${JSON.stringify(value)} as "2006-01-02T15:04:05Z07:00": cannot parse ${JSON.stringify(value)}`);
        return value;
      case 'bytes':
        if (typeof value !== 'string') throw this.#mismatch(value, path, '[]uint8');
        if (!BASE64.test(value)) throw this.#fault(`illegal base64 data at input byte ${Math.max(0, value.search(/[^A-Za-z0-9+/=]/))}`);
        return value;
      case 'boolean':
        if (typeof value !== 'boolean') throw this.#mismatch(value, path, 'bool');
        return value;
      case 'integer':
        if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw this.#mismatch(value, path, 'int32');
        return value;
      case 'number':
        if (typeof value !== 'number') throw this.#mismatch(value, path, 'float64');
        return value;
      case 'int-or-string':
        if (typeof value !== 'string' && !(typeof value === 'number' && Number.isSafeInteger(value))) throw this.#mismatch(value, path, 'int32');
        return value;
    }
  }

  #mismatch(value: unknown, path: string, goType: string): Error {
    return this.#fault(`json: cannot unmarshal ${goTypeOf(value)} into Go struct field ${this.#target.kind}.${path.replaceAll(/\[\d+\]/g, '')} of type ${goType}`);
  }

  #fault(detail: string): Error {
    const { kind, version } = this.#target;
    return badRequest(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${detail}`);
  }
}

/** Pointers to strings in Go; any other empty string counts as absent. */
const EMPTY_IS_MEANT = new Set(['storageClassName', 'volumeAttributesClassName']);

const QUANTITY_PATH = /(?:^|\.)(?:requests|limits|capacity|allocatable|hard|used|min|max|default|defaultRequest|sizeLimit|divisor)(?:\.|$)/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function goTypeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'number' ? (Number.isInteger(value) ? 'number' : `number ${value}`) : typeof value;
}

function goNameOf(type: FieldType): string {
  if (type.is === 'model') return goName(type.model);
  return { string: 'string', boolean: 'bool', integer: 'int32', number: 'float64' }[type.is as string] ?? 'interface {}';
}

function goName(model: string): string {
  return `v1.${model.replace(/^(?:Core|Events)?V\d+/, '')}`;
}
