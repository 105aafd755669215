import type { V1LabelSelector, V1PodSpec } from '@kubernetes/client-node';
import type { ApiObject } from '../api-object.ts';
import { ageOf } from './age.ts';
import type { PrinterColumn } from './printer-column.ts';

export const NAME: PrinterColumn = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: 'Name must be unique within a namespace.',
  value: (object) => object.metadata.name ?? '',
};

export const AGE: PrinterColumn = { name: 'Age', type: 'string', description: 'The time since the object was created.', value: (object) => ageOf(object.metadata.creationTimestamp) };

export const NAME_AND_AGE: readonly PrinterColumn[] = [NAME, AGE];

export function text(name: string, value: (object: ApiObject) => string, priority: 0 | 1 = 0): PrinterColumn {
  return { name, type: 'string', priority, value };
}

export function count(name: string, value: (object: ApiObject) => number): PrinterColumn {
  return { name, type: 'integer', value };
}

/** The part of an object that a kind's columns read; absent parts read as empty. */
export function part<T>(object: ApiObject, field: string): Partial<T> {
  return object[field] ?? {};
}

export function containerNames(spec: V1PodSpec | undefined): string {
  return (spec?.containers ?? []).map((container) => container.name).join(',');
}

export function containerImages(spec: V1PodSpec | undefined): string {
  return (spec?.containers ?? []).map((container) => container.image).join(',');
}

export function selectorText(selector: V1LabelSelector | undefined): string {
  const terms = [
    ...Object.entries(selector?.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`),
    ...(selector?.matchExpressions ?? []).map(({ key, operator, values = [] }) =>
      operator === 'Exists' ? key : operator === 'DoesNotExist' ? `!${key}` : `${key} ${operator.toLowerCase()} (${values.join(',')})`,
    ),
  ];
  return terms.length === 0 ? '<none>' : terms.join(',');
}

export function mapText(map: Readonly<Record<string, string>> | undefined): string {
  const entries = Object.entries(map ?? {});
  return entries.length === 0 ? '<none>' : entries.map(([key, value]) => `${key}=${value}`).join(',');
}
