import type { IncludedObject } from '../printing/table.ts';
import { badRequest } from '../status-error.ts';
import type { EndpointRequest } from './endpoint-request.ts';

export function includedObjectOf({ info }: EndpointRequest): IncludedObject {
  const value = info.query.get('includeObject') ?? '';
  if (value === '' || value === 'Metadata') return 'Metadata';
  if (value === 'None' || value === 'Object') return value;
  throw badRequest(`includeObject must be None, Metadata or Object, got ${JSON.stringify(value)}`);
}
