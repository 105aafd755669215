import { randomInt, randomUUID } from 'node:crypto';
import type { ApiObject } from '../api-object.ts';

const SUFFIX_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const MAX_GENERATED_BASE = 58;

/** Kubernetes' own form of a time: UTC, whole seconds. */
export function timestamp(at = new Date()): string {
  return `${at.toISOString().slice(0, 19)}Z`;
}

export function generatedName(base: string): string {
  let suffix = '';
  for (let index = 0; index < 5; index++) suffix += SUFFIX_ALPHABET[randomInt(SUFFIX_ALPHABET.length)];
  return base.slice(0, MAX_GENERATED_BASE) + suffix;
}

/** Gives a draft the identity that only the server gives. */
export function stampNewObject(draft: ApiObject, tracksGeneration: boolean): void {
  const { metadata } = draft;
  if ((metadata.name ?? '') === '' && (metadata.generateName ?? '') !== '') metadata.name = generatedName(metadata.generateName as string);
  metadata.uid = randomUUID();
  metadata.creationTimestamp = timestamp();
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata.resourceVersion;
  delete metadata['selfLink'];
  delete metadata.generation;
  if (tracksGeneration) metadata.generation = 1;
}

/** Puts back what an update may not change. */
export function keepSystemMetadata(draft: ApiObject, previous: ApiObject): void {
  const { metadata } = draft;
  for (const field of ['uid', 'creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds', 'generation', 'generateName', 'selfLink'] as const) {
    if (previous.metadata[field] === undefined) delete metadata[field];
    else metadata[field] = previous.metadata[field] as never;
  }
}
