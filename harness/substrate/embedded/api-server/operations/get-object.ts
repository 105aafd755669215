import type { ApiMachinery } from '../api-machinery.ts';
import type { ApiObject } from '../api-object.ts';
import { storageName } from '../resources/resource-definition.ts';
import { notFound } from '../status-error.ts';
import type { ObjectRequest } from './resource-request.ts';

export function getObject(machinery: ApiMachinery, { definition, namespace, name }: ObjectRequest): ApiObject {
  const object = machinery.store.get(storageName(definition), namespace, name);
  if (object === null) throw notFound(definition, name);
  return object;
}
