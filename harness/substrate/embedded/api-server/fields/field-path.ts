/** One step of a path: `f:name` into an object, `k:{"name":"c"}` to a keyed element, `v:"x"` to a scalar of a set (FieldsV1). */
export type FieldPath = readonly string[];

/** Paths as one string each, so that sets of them are sets. */
export type FieldSet = Set<string>;

const SEPARATOR = '\u0000';

export function pathKey(path: FieldPath): string {
  return path.join(SEPARATOR);
}

export function pathOfKey(key: string): FieldPath {
  return key.split(SEPARATOR);
}

/** The form in which errors name a path: `.spec.template.spec.containers[name="c"].image`. */
export function pathText(path: FieldPath): string {
  return path
    .map((segment) => {
      const body = segment.slice(2);
      if (segment.startsWith('f:')) return `.${body}`;
      if (segment.startsWith('v:')) return `[=${body}]`;
      const keys = JSON.parse(body) as Record<string, unknown>;
      return `[${Object.entries(keys).map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(',')}]`;
    })
    .join('');
}
