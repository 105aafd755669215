import { CONTRACT_NAMES } from '../contract-names.ts';
import { textAt } from './fields.ts';
import { watchedStates } from './objects.ts';
import { fact, type ObservedRun } from './observed-run.ts';
import type { WatchedObject } from './pods.ts';

/** What the watch showed of the Worker's volume claim. */
export const claimStates = fact((run: ObservedRun): readonly WatchedObject[] =>
  watchedStates(run, 'PersistentVolumeClaim', CONTRACT_NAMES.workerNamespace, CONTRACT_NAMES.claim),
);

/** One UID, at most one volume, bound in the end, never deleted. */
export function claimIsSame(states: readonly WatchedObject[]): boolean {
  const uids = new Set(states.map(({ body }) => body.object.metadata.uid));
  const volumes = new Set(states.map(({ body }) => textAt(body.object, 'spec', 'volumeName')).filter((volume) => volume !== null && volume !== ''));
  return uids.size === 1 && volumes.size === 1 && claimPhase(states) === 'Bound' && states.every(({ body }) => body.type !== 'DELETED');
}

export function claimPhase(states: readonly WatchedObject[]): string | null {
  return textAt(states.at(-1)?.body.object, 'status', 'phase');
}
