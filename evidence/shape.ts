/**
 * Shapes: one description of a JSON value that checks it, gives its TypeScript type and its published JSON Schema.
 * Unknown and missing keys are faults; every fault carries its path.
 */
export interface Fault {
  readonly path: string;
  readonly expected: string;
  readonly got: string;
}
export type JsonSchema = Readonly<Record<string, unknown>>;

export interface Shape<T> {
  readonly schema: JsonSchema;
  /** Calls `fault` for everything that is wrong with the value. */
  check(value: unknown, path: string, fault: (fault: Fault) => void): void;
  /** Never set; carries the type. */
  readonly type?: T;
}
export type TypeOf<S> = S extends Shape<infer T> ? T : never;
type Fields = Readonly<Record<string, Shape<unknown>>>;
type Simplify<T> = { [K in keyof T]: T[K] };

export function faultsOf(shape: Shape<unknown>, value: unknown, path = '$'): Fault[] {
  const faults: Fault[] = [];
  shape.check(value, path, (fault) => faults.push(fault));
  return faults;
}

function leaf<T>(schema: JsonSchema, expected: string, accepts: (value: unknown) => boolean): Shape<T> {
  return {
    schema,
    check(value, path, fault) {
      if (!accepts(value)) fault({ path, expected, got: describe(value) });
    },
  };
}

export function text(pattern?: RegExp, expected = pattern === undefined ? 'a string' : `a string like ${pattern.source}`): Shape<string> {
  const schema = pattern === undefined ? { type: 'string' } : { type: 'string', pattern: pattern.source };
  return leaf(schema, expected, (value) => typeof value === 'string' && (pattern === undefined || pattern.test(value)));
}

export function literal<const T extends string | number | boolean | null>(only: T): Shape<T> {
  return leaf({ const: only }, JSON.stringify(only), (value) => value === only);
}

export function oneOf<const T extends string | number>(...values: readonly T[]): Shape<T> {
  return leaf({ enum: values }, `one of ${values.join(', ')}`, (value) => (values as readonly unknown[]).includes(value));
}

/** A SHA-256 sum. */
export const digest: Shape<string> = text(/^[0-9a-f]{64}$/, '64 hex characters');
export const flag: Shape<boolean> = leaf({ type: 'boolean' }, 'true or false', (value) => typeof value === 'boolean');
export const finite: Shape<number> = leaf({ type: 'number' }, 'a finite number', (value) => typeof value === 'number' && Number.isFinite(value));
export const anything: Shape<unknown> = leaf({}, 'anything', (value) => value !== undefined);

export function integer(minimum = 0): Shape<number> {
  return leaf(
    { type: 'integer', minimum, maximum: Number.MAX_SAFE_INTEGER },
    `a safe integer of at least ${minimum}`,
    (value) => Number.isSafeInteger(value) && (value as number) >= minimum,
  );
}

export function nullable<T>(shape: Shape<T>): Shape<T | null> {
  return {
    schema: { anyOf: [shape.schema, { type: 'null' }] },
    check(value, path, fault) {
      if (value !== null) shape.check(value, path, fault);
    },
  };
}

export function list<T>(shape: Shape<T>, length: { readonly exactly?: number; readonly atMost?: number } = {}): Shape<readonly T[]> {
  const { exactly, atMost } = length;
  const bounds = exactly === undefined ? (atMost === undefined ? {} : { maxItems: atMost }) : { minItems: exactly, maxItems: exactly };
  return {
    schema: { type: 'array', items: shape.schema, ...bounds },
    check(value, path, fault) {
      if (!Array.isArray(value)) return fault({ path, expected: 'a list', got: describe(value) });
      if (exactly !== undefined && value.length !== exactly) fault({ path, expected: `${exactly} items`, got: `${value.length}` });
      if (atMost !== undefined && value.length > atMost) fault({ path, expected: `at most ${atMost} items`, got: `${value.length}` });
      value.forEach((item, index) => shape.check(item, `${path}[${index}]`, fault));
    },
  };
}

/** Fields of one shape, in this order. */
export function fields<T, const K extends string>(shape: Shape<T>, ...keys: readonly K[]): { readonly [N in K]: Shape<T> } {
  return Object.fromEntries(keys.map((key) => [key, shape])) as { readonly [N in K]: Shape<T> };
}

/** An object whose keys are free, each value of one shape. */
export function record<T>(shape: Shape<T>): Shape<Readonly<Record<string, T>>> {
  return {
    schema: { type: 'object', additionalProperties: shape.schema },
    check(value, path, fault) {
      if (!isObject(value)) return fault({ path, expected: 'an object', got: describe(value) });
      for (const key of Object.keys(value)) shape.check(value[key], `${path}.${key}`, fault);
    },
  };
}

/** An object with exactly the `required` keys and, where given, some of the `optional` ones. */
export function object<R extends Fields, O extends Fields = {}>(
  required: R,
  optional?: O,
): Shape<Simplify<{ readonly [K in keyof R]: TypeOf<R[K]> } & { readonly [K in keyof O]?: TypeOf<O[K]> }>> {
  const known: Fields = { ...required, ...optional };
  return {
    schema: {
      type: 'object',
      additionalProperties: false,
      required: Object.keys(required),
      properties: Object.fromEntries(Object.entries(known).map(([key, shape]) => [key, shape.schema])),
    },
    check(value, path, fault) {
      if (!isObject(value)) return fault({ path, expected: 'an object', got: describe(value) });
      for (const key of Object.keys(value)) {
        if (!Object.hasOwn(known, key)) fault({ path: `${path}.${key}`, expected: 'no such key', got: describe(value[key]) });
      }
      for (const [key, shape] of Object.entries(known)) {
        if (Object.hasOwn(value, key)) shape.check(value[key], `${path}.${key}`, fault);
        else if (Object.hasOwn(required, key)) fault({ path: `${path}.${key}`, expected: 'a value', got: 'nothing' });
      }
    },
  };
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Says what a value is without repeating more of it than is safe to print. */
function describe(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'string') return `a string of ${value.length} characters`;
  return typeof value === 'number' || typeof value === 'boolean' ? `${value}` : typeof value;
}
