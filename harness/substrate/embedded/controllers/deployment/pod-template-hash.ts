import { createHash } from 'node:crypto';
import type { PodTemplate } from '../runtime/objects.ts';

export const POD_TEMPLATE_HASH = 'pod-template-hash';

/** Kubernetes' alphabet for generated names: no vowels, nothing that reads as another character. */
const SAFE = 'bcdfghjklmnpqrstvwxz2456789';

/** A short name part for a template; a collision is told apart by the count. */
export function podTemplateHash(template: PodTemplate, collisionCount: number): string {
  const digest = createHash('sha256').update(`${canonicalTemplate(template)}\0${collisionCount}`).digest();
  return [...digest.subarray(0, 10)].map((byte) => SAFE[byte % SAFE.length]).join('');
}

/** Whether two templates ask for the same Pods; the hash label that a ReplicaSet adds does not matter. */
export function isSameTemplate(a: PodTemplate, b: PodTemplate): boolean {
  return canonicalTemplate(a) === canonicalTemplate(b);
}

function canonicalTemplate(template: PodTemplate): string {
  const { [POD_TEMPLATE_HASH]: _, ...labels } = template?.metadata?.labels ?? {};
  return JSON.stringify(sorted({ ...template, metadata: { ...template?.metadata, labels } }));
}

/** Keys in order; what is empty counts as absent, as Kubernetes compares (equality.Semantic): `kubectl rollout undo` leaves `annotations: {}`. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).map(([name, field]) => [name, sorted(field)] as const);
  return Object.fromEntries(entries.filter(([, field]) => !isEmpty(field)).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
