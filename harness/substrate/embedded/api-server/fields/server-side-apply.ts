import { isDeepStrictEqual } from 'node:util';
import type { ApiObject, ManagedFieldsEntry } from '../api-object.ts';
import { timestamp } from '../operations/system-metadata.ts';
import { apiVersionOf, type ResourceDefinition } from '../resources/resource-definition.ts';
import { ApiStatusError, type StatusCause } from '../status-error.ts';
import { pathOfKey, pathText, type FieldSet } from './field-path.ts';
import { leavesOf } from './leaves.ts';
import { fieldsOf, setManagedFields, withFields } from './managed-fields.ts';
import { mergeApplied, removePath } from './structured-merge.ts';

export interface Applier {
  readonly manager: string;
  readonly force: boolean;
  readonly subresource?: string;
}

/** The entry of a manager that applies. */
export function applyEntry(definition: ResourceDefinition, { manager, subresource }: Applier): ManagedFieldsEntry {
  return { manager, operation: 'Apply', apiVersion: apiVersionOf(definition), time: timestamp(), fieldsType: 'FieldsV1', ...(subresource === undefined ? {} : { subresource }) };
}

/**
 * Server-side apply on a live object: the applied fields become the manager's, fields that it applied before and now left out go
 * (unless others own them too), and a field that another manager set to another value is a conflict, unless forced.
 */
export function applyConfiguration(live: ApiObject, applied: ApiObject, definition: ResourceDefinition, applier: Applier): ApiObject {
  const wanted = leavesOf(applied, definition.model);
  const fields: FieldSet = new Set(wanted.keys());
  const entries = live.metadata.managedFields ?? [];
  const isOwn = (entry: ManagedFieldsEntry): boolean => entry.manager === applier.manager && entry.operation === 'Apply' && (entry.subresource ?? '') === (applier.subresource ?? '');
  const others = entries.filter((entry) => !isOwn(entry));
  const previous = entries.find(isOwn);
  const contested = contestedFields(live, wanted, others, definition);
  if (!applier.force && contested.length > 0) throw applyConflict(contested);
  const taken = new Set(contested.map(({ key }) => key));
  const draft = mergeApplied(structuredClone(live), applied, definition.model);
  const ownedByOthers = new Set(others.flatMap((entry) => [...fieldsOf(entry)]));
  for (const key of previous === undefined ? [] : fieldsOf(previous)) {
    if (!fields.has(key) && !ownedByOthers.has(key)) removePath(draft, pathOfKey(key));
  }
  const entry = applyEntry(definition, applier);
  if (previous?.time !== undefined && isDeepStrictEqual(fieldsOf(previous), fields)) entry.time = previous.time;
  setManagedFields(draft, [...withFields(entry, fields), ...others.flatMap((other) => withFields(other, fieldsOf(other).difference(taken)))]);
  return draft;
}

interface Contested {
  readonly key: string;
  readonly owner: ManagedFieldsEntry;
}

function contestedFields(live: ApiObject, wanted: ReadonlyMap<string, unknown>, others: readonly ManagedFieldsEntry[], definition: ResourceDefinition): Contested[] {
  const current = leavesOf(live, definition.model);
  const differing = [...wanted].filter(([key, value]) => current.has(key) && !isDeepStrictEqual(current.get(key), value)).map(([key]) => key);
  return others.flatMap((owner) => {
    const owned = fieldsOf(owner);
    return differing.filter((key) => owned.has(key)).map((key) => ({ key, owner }));
  });
}

function applyConflict(contested: readonly Contested[]): ApiStatusError {
  const told = (owner: ManagedFieldsEntry): string => `${JSON.stringify(owner.manager)}${owner.subresource === undefined ? '' : ` with subresource ${JSON.stringify(owner.subresource)}`} using ${owner.apiVersion}`;
  const byOwner = Map.groupBy(contested, ({ owner }) => told(owner));
  const lines = [...byOwner].map(([owner, fields]) =>
    fields.length === 1 ? `conflict with ${owner}: ${pathText(pathOfKey((fields[0] as Contested).key))}` : `conflicts with ${owner}:\n${fields.map(({ key }) => `- ${pathText(pathOfKey(key))}`).join('\n')}`,
  );
  const causes: StatusCause[] = contested.map(({ key, owner }) => ({ reason: 'FieldManagerConflict', message: `conflict with ${told(owner)}`, field: pathText(pathOfKey(key)) }));
  const count = contested.length === 1 ? '1 conflict' : `${contested.length} conflicts`;
  return new ApiStatusError(409, 'Conflict', `Apply failed with ${count}: ${lines.join('\n')}`, { causes });
}
