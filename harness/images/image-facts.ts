import { readFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import type { Component, ObservationBodies, Witness } from '../../evidence/observation.ts';
import type { PlatformFact } from '../substrate/substrate.ts';

/** The observation that an image was built, and from what. `docker` says so where the Engine built it, the harness itself elsewhere. */
export function imageBuiltFact(component: Component, body: Omit<ObservationBodies['image.built'], 'component'>, witness: Extract<Witness, 'docker' | 'harness'>): PlatformFact {
  return { kind: 'image.built', witness, subject: `images/${component}`, body: { component, ...body } };
}

export async function digestOfFile(path: string): Promise<string> {
  return createHash('sha256').update(await readFile(path)).digest('hex');
}
