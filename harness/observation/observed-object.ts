import type { ObservedObject } from '../../evidence/observation.ts';

interface RawObject {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly metadata?: object | undefined;
}

/**
 * What may be written down of an object: all of it but `managedFields` and kubectl's copy of the last applied one;
 * of a Secret the names of its keys, never `data` or `stringData`.
 */
export function toObservedObject(raw: RawObject): ObservedObject {
  const { metadata, data, stringData, ...rest } = structuredClone(raw) as Record<string, unknown>;
  const { managedFields: _managed, ...meta } = (metadata ?? {}) as Record<string, unknown>;
  if (raw.kind === 'Secret') {
    const annotations = meta['annotations'] as Record<string, string> | undefined;
    delete annotations?.['kubectl.kubernetes.io/last-applied-configuration'];
    const keys = new Set([...Object.keys((data as object | undefined) ?? {}), ...Object.keys((stringData as object | undefined) ?? {})]);
    return { ...rest, metadata: meta, dataKeys: [...keys].sort() } as unknown as ObservedObject;
  }
  return { ...rest, metadata: meta, ...(data === undefined ? {} : { data }) } as unknown as ObservedObject;
}
