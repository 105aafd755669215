import type { ApiObject } from '../api-object.ts';
import type { ResourceDefinition } from '../resources/resource-definition.ts';
import { invalid, type FieldError } from './field-error.ts';
import { dnsSubdomainFaults, labelValueFaults, qualifiedNameFaults } from './name-grammar.ts';

const TOTAL_ANNOTATION_BYTES = 256 * 1024;

export function validateMetadata({ metadata }: ApiObject, definition: ResourceDefinition): FieldError[] {
  const nameFaults = definition.strategy.validateName ?? dnsSubdomainFaults;
  return [
    ...nameFaults(metadata.name ?? '').map((fault) => invalid('metadata.name', metadata.name ?? '', fault)),
    ...validateLabels(metadata.labels, 'metadata.labels'),
    ...validateAnnotations(metadata.annotations, 'metadata.annotations'),
    ...validateOwners(metadata),
    ...validateFinalizers(metadata.finalizers ?? []),
  ];
}

const STANDARD_FINALIZERS = new Set(['foregroundDeletion', 'kubernetes', 'orphan']);

function validateFinalizers(finalizers: readonly string[]): FieldError[] {
  return finalizers.flatMap((finalizer, index) => {
    const at = `metadata.finalizers[${index}]`;
    const faults = qualifiedNameFaults(finalizer).map((fault) => invalid(at, finalizer, fault));
    if (faults.length > 0 || finalizer.includes('/') || STANDARD_FINALIZERS.has(finalizer)) return faults;
    return [invalid(at, finalizer, 'name is neither a standard finalizer name nor is it fully qualified')];
  });
}

export function validateLabels(labels: Record<string, string> | undefined, field: string): FieldError[] {
  return Object.entries(labels ?? {}).flatMap(([key, value]) => [
    ...qualifiedNameFaults(key).map((fault) => invalid(field, key, fault)),
    ...labelValueFaults(value).map((fault) => invalid(field, value, fault)),
  ]);
}

export function validateAnnotations(annotations: Record<string, string> | undefined, field: string): FieldError[] {
  const entries = Object.entries(annotations ?? {});
  const errors = entries.flatMap(([key]) => qualifiedNameFaults(key.toLowerCase()).map((fault) => invalid(field, key, fault)));
  const size = entries.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
  if (size > TOTAL_ANNOTATION_BYTES) errors.push({ reason: 'FieldValueTooLong', field, message: `Too long: may not be more than ${TOTAL_ANNOTATION_BYTES} bytes` });
  return errors;
}

function validateOwners({ ownerReferences = [] }: ApiObject['metadata']): FieldError[] {
  const errors = ownerReferences.flatMap((owner) =>
    (['apiVersion', 'kind', 'name', 'uid'] as const)
      .filter((key) => (owner[key] ?? '') === '')
      .map((key) => invalid(`metadata.ownerReferences.${key}`, owner[key] ?? '', 'must not be empty')),
  );
  const controllers = ownerReferences.filter((owner) => owner.controller === true);
  if (controllers.length > 1) {
    errors.push(invalid('metadata.ownerReferences', ownerReferences, `Only one reference can have Controller set to true. Found "true" in references for ${controllers.map(({ kind, name }) => `${kind}/${name}`).join(' and ')}`));
  }
  return errors;
}

/** An object on its way out may lose finalizers, but gain none. */
export function validateMetadataUpdate({ metadata }: ApiObject, previous: ApiObject): FieldError[] {
  if (metadata.deletionTimestamp === undefined) return [];
  const known = new Set(previous.metadata.finalizers ?? []);
  const added = (metadata.finalizers ?? []).filter((finalizer) => !known.has(finalizer));
  if (added.length === 0) return [];
  return [{ reason: 'FieldValueForbidden', field: 'metadata.finalizers', message: `Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{${added.map((name) => JSON.stringify(name)).join(', ')}}` }];
}
