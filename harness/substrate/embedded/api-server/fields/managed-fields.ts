import { isDeepStrictEqual } from 'node:util';
import type { ApiObject, ManagedFieldsEntry } from '../api-object.ts';
import { timestamp } from '../operations/system-metadata.ts';
import { apiVersionOf, type ResourceDefinition } from '../resources/resource-definition.ts';
import type { FieldSet } from './field-path.ts';
import { fromFieldsV1, toFieldsV1 } from './fields-v1.ts';
import { leavesOf } from './leaves.ts';

export interface FieldWriter {
  readonly manager: string;
  readonly subresource?: string;
}

/** Notes in managedFields which fields the writer has set or changed: they are the writer's, and nobody else's any more. */
export function recordUpdate(draft: ApiObject, previous: ApiObject | null, definition: ResourceDefinition, writer: FieldWriter): void {
  const before = previous === null ? new Map<string, unknown>() : leavesOf(previous, definition.model);
  const after = leavesOf(draft, definition.model);
  const changed: FieldSet = new Set();
  for (const [key, value] of after) if (!before.has(key) || !isDeepStrictEqual(before.get(key), value)) changed.add(key);
  const touched: FieldSet = new Set(changed);
  for (const key of before.keys()) if (!after.has(key)) touched.add(key);
  const reset = draft.metadata.managedFields?.length === 1 && Object.keys(draft.metadata.managedFields[0] as object).length === 0;
  const entries = reset ? [] : (previous?.metadata.managedFields ?? []);
  const own = (entry: ManagedFieldsEntry): boolean => entry.manager === writer.manager && entry.operation === 'Update' && (entry.subresource ?? '') === (writer.subresource ?? '');
  const others = entries.filter((entry) => !own(entry)).flatMap((entry) => withFields(entry, fieldsOf(entry).difference(touched)));
  const mine = entries.find(own);
  const fields = (mine === undefined ? new Set<string>() : fieldsOf(mine).difference(touched)).union(changed);
  const entry: ManagedFieldsEntry = {
    manager: writer.manager,
    operation: 'Update',
    apiVersion: apiVersionOf(definition),
    time: changed.size > 0 || mine?.time === undefined ? timestamp() : mine.time,
    fieldsType: 'FieldsV1',
    ...(writer.subresource === undefined ? {} : { subresource: writer.subresource }),
  };
  setManagedFields(draft, [...others, ...withFields(entry, fields)]);
}

export function fieldsOf(entry: ManagedFieldsEntry): FieldSet {
  return fromFieldsV1(entry.fieldsV1);
}

/** The entry with those fields; none when there are no fields. */
export function withFields(entry: ManagedFieldsEntry, fields: FieldSet): ManagedFieldsEntry[] {
  return fields.size === 0 ? [] : [{ ...entry, fieldsV1: toFieldsV1(fields) }];
}

export function setManagedFields(draft: ApiObject, entries: readonly ManagedFieldsEntry[]): void {
  if (entries.length === 0) delete draft.metadata.managedFields;
  else draft.metadata.managedFields = [...entries];
}
