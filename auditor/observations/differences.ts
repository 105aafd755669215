import { isObject } from '../../evidence/shape.ts';

export interface Difference {
  readonly path: string;
  readonly left: string;
  readonly right: string;
}

/** Every leaf in which two JSON values differ, by path. */
export function differences(left: unknown, right: unknown, path = ''): Difference[] {
  if (isObject(left) && isObject(right)) {
    const keys = [...new Set([...Object.keys(left), ...Object.keys(right)])].sort();
    return keys.flatMap((key) => differences(left[key], right[key], path === '' ? key : `${path}.${key}`));
  }
  if (Array.isArray(left) && Array.isArray(right) && left.length === right.length) {
    return left.flatMap((item, index) => differences(item, right[index], `${path}[${index}]`));
  }
  return JSON.stringify(left) === JSON.stringify(right) ? [] : [{ path, left: show(left), right: show(right) }];
}

function show(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length <= 120 ? text : `${text.slice(0, 120)}…`;
}
