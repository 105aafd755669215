import { DomainError, describeValue, type DomainErrorCode, type DomainIssue } from './errors.ts';

/** Reads one value at the edge: reports what is wrong with it, or returns it with its type known. */
export interface Rule<T> {
  read(value: unknown, path: string, issues: DomainIssue[]): T;
}

export type Shape<T> = { readonly [K in keyof T]-?: Rule<T[K]> };

/** A rule for one scalar, from a guard and the words that describe what it accepts. */
export function scalar<T>(expected: string, accepts: (value: unknown) => boolean): Rule<T> {
  return {
    read(value, path, issues) {
      if (!accepts(value)) issues.push({ path, expected, got: describeValue(value) });
      return value as T;
    },
  };
}

export function literal<const T extends string | number | boolean>(...allowed: readonly T[]): Rule<T> {
  return scalar(allowed.map((value) => JSON.stringify(value)).join(' or '), (value) => allowed.includes(value as T));
}

export function integer(minimum: number, maximum: number = Number.MAX_SAFE_INTEGER): Rule<number> {
  return scalar(
    `an integer from ${minimum} to ${maximum}`,
    (value) => Number.isSafeInteger(value) && (value as number) >= minimum && (value as number) <= maximum,
  );
}

/** Unix milliseconds. */
export const instantMs: Rule<number> = integer(0);

export function nullable<T>(rule: Rule<T>): Rule<T | null> {
  return { read: (value, path, issues) => (value === null ? null : rule.read(value, path, issues)) };
}

/**
 * Exactly the keys of the shape, no fewer and no more. The object that comes back is new and has its keys in the
 * order of the shape: digests over JSON depend on that order.
 */
export function exactly<T extends object>(shape: Shape<T>): Rule<T> {
  const keys = Object.keys(shape) as (keyof T & string)[];
  return {
    read(value, path, issues) {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        issues.push({ path, expected: 'an object', got: describeValue(value) });
        return value as T;
      }
      const source = value as Record<string, unknown>;
      for (const key of Object.keys(source)) {
        if (!Object.hasOwn(shape, key)) {
          issues.push({ path, expected: `an object with exactly the keys ${keys.join(', ')}`, got: 'an unknown key' });
        }
      }
      const result: Partial<T> = {};
      for (const key of keys) {
        const held = Object.hasOwn(source, key) ? source[key] : undefined;
        result[key] = shape[key].read(held, path === '' ? key : `${path}.${key}`, issues);
      }
      return result as T;
    },
  };
}

/** Applies a rule and the conditions that span several fields; throws once, with every fault found. */
export function readAs<T>(
  code: DomainErrorCode,
  subject: string,
  rule: Rule<T>,
  value: unknown,
  relations?: (read: T, issues: DomainIssue[]) => void,
): Readonly<T> {
  const issues: DomainIssue[] = [];
  const read = rule.read(value, '', issues);
  if (issues.length === 0) relations?.(read, issues);
  if (issues.length > 0) throw new DomainError(code, subject, issues);
  return Object.freeze(read);
}
