import { groupBy } from './group-by.ts';
import type { ObservationOf, ObservedObject } from '../observation.ts';
import type { WatchedObject } from './pods.ts';
import { fact, type ObservedRun } from './observed-run.ts';

const pathOf = (object: ObservedObject): string => `${object.kind}/${object.metadata.namespace ?? ''}/${object.metadata.name}`;
const watchedByName = fact((run: ObservedRun) => groupBy(run.of('api.watched'), ({ body }) => pathOf(body.object)));
const readByName = fact((run: ObservedRun) => groupBy(run.of('api.object'), ({ body }) => pathOf(body.object)));

/** Every state of one object that the watch showed, in order. */
export function watchedStates(run: ObservedRun, kind: string, namespace: string, name: string): readonly WatchedObject[] {
  return watchedByName(run).get(`${kind}/${namespace}/${name}`) ?? [];
}

export interface SeenObject {
  readonly seq: number;
  readonly object: ObservedObject;
}

/** The last state of one object, watched or read. */
export function lastSeen(run: ObservedRun, kind: string, namespace: string, name: string): SeenObject | null {
  const path = `${kind}/${namespace}/${name}`;
  const candidates: readonly (WatchedObject | ObservationOf<'api.object'> | undefined)[] = [watchedByName(run).get(path)?.at(-1), readByName(run).get(path)?.at(-1)];
  const last = candidates.filter((found) => found !== undefined).sort((left, right) => left.seq - right.seq).at(-1);
  return last === undefined ? null : { seq: last.seq, object: last.body.object };
}
