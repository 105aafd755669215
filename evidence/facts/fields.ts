/** Reads what is inside a JSON value of unknown shape; what is not there is undefined, null or empty, never an exception. */
export function dig(value: unknown, ...path: readonly (string | number)[]): unknown {
  let here = value;
  for (const key of path) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, key)) return undefined;
    here = (here as Record<string | number, unknown>)[key];
  }
  return here;
}

export function textAt(value: unknown, ...path: readonly (string | number)[]): string | null {
  const found = dig(value, ...path);
  return typeof found === 'string' ? found : null;
}

export function numberAt(value: unknown, ...path: readonly (string | number)[]): number | null {
  const found = dig(value, ...path);
  return typeof found === 'number' ? found : null;
}

export function listAt(value: unknown, ...path: readonly (string | number)[]): readonly unknown[] {
  const found = dig(value, ...path);
  return Array.isArray(found) ? (found as unknown[]) : [];
}

export function textsAt(value: unknown, ...path: readonly (string | number)[]): readonly string[] {
  return listAt(value, ...path).filter((item) => typeof item === 'string');
}
