import type { ListParameters } from '../operations/list-objects.ts';
import { badRequest } from '../status-error.ts';
import type { EndpointRequest } from './endpoint-request.ts';

export function listParameters({ info }: EndpointRequest): ListParameters {
  const { query } = info;
  const limit = numberOf(query.get('limit'), 'limit');
  const text = (name: string): string | undefined => query.get(name) ?? undefined;
  return withoutUndefined({
    labelSelector: text('labelSelector'),
    fieldSelector: text('fieldSelector'),
    limit,
    continue: text('continue'),
    resourceVersion: text('resourceVersion'),
    resourceVersionMatch: text('resourceVersionMatch'),
  });
}

export function numberOf(value: string | null, name: string): number | undefined {
  if (value === null || value === '') return undefined;
  if (!/^-?\d{1,15}$/.test(value)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(value)}: invalid syntax (query parameter ${name})`);
  return Number(value);
}

function withoutUndefined<T extends object>(parameters: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== undefined)) as { [K in keyof T]: Exclude<T[K], undefined> };
}
