import { readFileSync } from 'node:fs';
import type { ObservationOf, ObservedObject } from '../../evidence/observation.ts';

export interface PodSighting {
  readonly atMs: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly pod: ObservedObject;
}

/** What was seen of Pods, on the clock of the run's spans, and when that began; `bootAtMs` is when its first step began there, which the log tells as well. */
export function readPodSightings(path: string, bootAtMs: number): { readonly pods: readonly PodSighting[]; readonly clockBeganAtMs: number } {
  const observations = readFileSync(path, 'utf8').trim().split('\n').map((line) => JSON.parse(line) as ObservationOf<'api.watched' | 'run.step'>);
  const first = observations.find(({ kind }) => kind === 'run.step');
  if (first === undefined) throw new Error('expected the log to hold the beginning of a step');
  const shift = bootAtMs - first.offsetMs;
  const pods = observations
    .filter((observation): observation is ObservationOf<'api.watched'> => observation.kind === 'api.watched' && (observation as ObservationOf<'api.watched'>).body.object.kind === 'Pod')
    .map(({ offsetMs, body }) => ({ atMs: offsetMs + shift, type: body.type, pod: body.object }));
  return { pods, clockBeganAtMs: Date.parse(first.at) - bootAtMs };
}
