import type { ObservedObject } from '../../evidence/observation.ts';
import type { Interval } from './intervals.ts';
import type { PodSighting } from './pod-sightings.ts';

interface ContainerStatus {
  readonly state?: { readonly running?: object; readonly terminated?: object };
}

/** From a Pod's creation until all of its containers have started; a Pod that is removed before is no start. */
export function podStarts(sightings: readonly PodSighting[]): Interval[] {
  return between(sightings, () => true, ({ pod }) => hasStarted(pod));
}

/** From a Pod's deletion until it is gone. */
export function podStops(sightings: readonly PodSighting[]): Interval[] {
  return between(sightings, ({ pod }) => pod.metadata.deletionTimestamp !== undefined, ({ type }) => type === 'DELETED');
}

function between(sightings: readonly PodSighting[], begins: (sighting: PodSighting) => boolean, ends: (sighting: PodSighting) => boolean): Interval[] {
  const intervals: Interval[] = [];
  for (const own of Map.groupBy(sightings, ({ pod }) => pod.metadata.uid).values()) {
    const [begin, end] = [own.find(begins), own.find(ends)];
    if (begin !== undefined && end !== undefined) intervals.push([begin.atMs, end.atMs]);
  }
  return intervals;
}

function hasStarted(pod: ObservedObject): boolean {
  const { containerStatuses = [] } = (pod['status'] ?? {}) as { containerStatuses?: readonly ContainerStatus[] };
  return containerStatuses.length > 0 && containerStatuses.every(({ state }) => state?.running !== undefined || state?.terminated !== undefined);
}
