import { groupBy } from './group-by.ts';
import type { ObservedObject } from '../observation.ts';
import { auditedStages, byArrival, isWrite, succeeded, wasLeftOpen, type Request } from './audit.ts';
import { fact, type ObservedRun } from './observed-run.ts';

/** A write that was carried out, or that the API server gave up on and cannot tell of: it may have been stored all the same. */
export interface UnrefusedWrite extends Request {
  readonly ending: 'carried-out' | 'open';
  /** All of a kind in a namespace. */
  readonly collection: string;
  /** The object that it names, or the collection, where it is to go as a whole. */
  readonly named: string;
}

function endingOf(request: Request): UnrefusedWrite['ending'] | null {
  const { stage } = request.event;
  if (stage !== 'ResponseComplete' && stage !== 'Panic') return null;
  if (wasLeftOpen(request)) return 'open';
  return succeeded(request) ? 'carried-out' : null;
}

/** In order of arrival. */
export const unrefusedWrites = fact((run: ObservedRun): readonly UnrefusedWrite[] =>
  auditedStages(run).flatMap((request) => {
    const { verb, resource, namespace, name } = request.event;
    const ending = endingOf(request);
    const collection = `${resource}/${namespace}`;
    return ending === null || !isWrite(request) ? [] : [{ ...request, ending, collection, named: verb === 'deletecollection' ? collection : `${collection}/${name}` }];
  }),
);

/** Of whole objects, by what they name. */
export const creationsByName = fact((run: ObservedRun) => groupBy(unrefusedWrites(run).filter(isCreation), ({ named }) => named));
export const creationsByCollection = fact((run: ObservedRun) => groupBy(unrefusedWrites(run).filter(isCreation), ({ collection }) => collection));
export const deletionsByName = fact((run: ObservedRun) => groupBy(unrefusedWrites(run).filter(({ event }) => event.verb.startsWith('delete') && event.subresource === null), ({ named }) => named));

function isCreation({ event: { verb, subresource } }: UnrefusedWrite): boolean {
  return verb === 'create' && subresource === null;
}

/** What is written through an object and not into it. */
const BESIDE = new Set<string | null>(['exec', 'attach', 'portforward', 'proxy', 'token']);

/**
 * Requests that can each have made one new state of an object that was there, by its name, in order of arrival: updates under one resourceVersion
 * made one between them, since it was passed then, and the others wrote what was there already. To delete a collection is to delete each of its objects, once.
 */
export const changesByName = fact((run: ObservedRun) => {
  const watched = groupBy(new Map(run.of('api.watched').map(({ body }) => [placeOf(body.object).named, placeOf(body.object)])).values(), ({ collection }) => collection);
  const made = new Set<string>();
  const changes = unrefusedWrites(run).flatMap((request) => {
    const { collection, named, event } = request;
    if (isCreation(request) || BESIDE.has(event.subresource)) return [];
    const key = `${named} ${named === collection ? '' : (carriedVersion(request) ?? request.seq)}`;
    if (made.has(key)) return [];
    made.add(key);
    return named === collection ? (watched.get(collection) ?? []).map((place) => ({ ...request, ...place })) : [request];
  });
  return groupBy(changes, ({ named }) => named);
});

export function firstDeletionOf(run: ObservedRun, { collection, named }: Place): UnrefusedWrite | undefined {
  return [named, collection].flatMap((place) => deletionsByName(run).get(place)?.slice(0, 1) ?? []).sort(byArrival)[0];
}

/** The resourceVersion that an update was carried out under; null where it may have been none. */
export function carriedVersion({ ending, event: { verb, resourceVersion } }: UnrefusedWrite): string | null {
  return ending === 'carried-out' && verb === 'update' ? resourceVersion : null;
}

export type Place = Pick<UnrefusedWrite, 'collection' | 'named'>;

/** How requests name an object. */
export function placeOf({ kind, metadata: { namespace, name } }: ObservedObject): Place {
  const collection = `${kind.toLowerCase().replace(/y$/, 'ie')}s/${namespace}`;
  return { collection, named: `${collection}/${name}` };
}
