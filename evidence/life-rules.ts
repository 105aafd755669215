import { CLOCK_BOUND_MS, KUBERNETES_TIME_STEP_MS } from './clock-bound.ts';
import { administrator, auditedStages, requests, succeeded } from './facts/audit.ts';
import { groupBy } from './facts/group-by.ts';
import type { ObservedRun } from './facts/observed-run.ts';
import { nodeNameOf, podLives, type WatchedObject } from './facts/pods.ts';
import { settledUntilMs } from './facts/settled.ts';
import { carriedVersion, changesByName, creationsByCollection, creationsByName, deletionsByName, firstDeletionOf, placeOf, unrefusedWrites, type UnrefusedWrite } from './facts/unrefused-writes.ts';
import { DELIVERY, PROBE_DELIVERY } from './identities.ts';
import { instantMs } from './instants.ts';
import type { LogFault } from './log-rules.ts';
import type { ObservedObject } from './observation.ts';

type Faults = Iterable<LogFault>;

/** Whether what the watch showed of each object is what the API server logged as asked for: nothing comes, changes or goes without a request, and none is carried out without a trace. */
export function lifeRuleFaults(run: ObservedRun): readonly LogFault[] {
  return [...earlyAnswers(run), ...unasked(run), ...misdated(run), ...remaining(run), ...miscountedPods(run), ...strangePods(run), ...unboundPods(run), ...otherVersions(run), ...repeatedCreations(run), ...repeatedReplaces(run)];
}

function* earlyAnswers(run: ObservedRun): Faults {
  const early = auditedStages(run).filter(({ receivedMs, completedMs }) => completedMs + CLOCK_BOUND_MS < receivedMs);
  if (early.length > 0) yield { rule: 'a request arrives before it is answered', because: early.map(({ seq }) => seq) };
}

/** Each state has a request of its own that came before it; a state that a watch made anew passed over needs none. An object may be asked for twice, when an answer was lost. */
function* unasked(run: ObservedRun): Faults {
  const counts = new Map<string, number>();
  const told = new Set<string>();
  for (const state of run.of('api.watched')) {
    const { seq, at, body: { type } } = state;
    const { asked, place } = requestsFor(run, state);
    const shown = `${place} ${type.toLowerCase()}`;
    const count = (counts.get(shown) ?? 0) + 1;
    counts.set(shown, count);
    if (told.has(shown) || (type === 'MODIFIED' && instantMs(at) > settledUntilMs(run))) continue;
    const untilMs = instantMs(at) + CLOCK_BOUND_MS;
    // how often something went is told by how often it came
    const isAsked = (asked[type === 'DELETED' ? 0 : count - 1]?.receivedMs ?? Number.NaN) <= untilMs;
    if (isAsked) continue;
    told.add(shown);
    const { length } = asked.filter(({ receivedMs }) => receivedMs <= untilMs);
    yield { rule: `what the watch shows was asked for before; it shows ${shown}, time ${count}, when the API server had logged ${length} such requests`, because: [seq] };
  }
}

interface Asked {
  readonly place: string;
  readonly asked: readonly UnrefusedWrite[];
}

function requestsFor(run: ObservedRun, { body: { type, object } }: WatchedObject): Asked {
  const place = placeOf(object);
  if (type === 'MODIFIED') return { place: place.named, asked: changesByName(run).get(place.named) ?? [] };
  return type === 'ADDED' ? creationsFor(run, object) : { place: place.named, asked: [firstDeletionOf(run, place) ?? []].flat() };
}

/** Pods that a controller makes have no name yet when they are asked for. */
function creationsFor(run: ObservedRun, object: ObservedObject): Asked {
  const { collection, named } = placeOf(object);
  return object.kind === 'Pod' ? { place: collection, asked: creationsByCollection(run).get(collection) ?? [] } : { place: named, asked: creationsByName(run).get(named) ?? [] };
}

/** The API server dates what it makes, in whole seconds: what is older than so many others than it had so many requests, and what is younger as well. */
function* misdated(run: ObservedRun): Faults {
  const seen = new Map([...run.of('api.object'), ...run.of('api.watched')].toReversed().map((each) => [each.body.object.metadata.uid, each]));
  const dated = [...seen.values()].filter(({ body }) => body.object.metadata.creationTimestamp !== undefined).map(({ seq, body: { object } }) => ({ seq, object, createdMs: instantMs(object.metadata.creationTimestamp) }));
  for (const [place, all] of groupBy(dated, ({ object }) => creationsFor(run, object).place)) {
    const asked = all.slice(0, 1).flatMap(({ object }) => creationsFor(run, object).asked);
    const ends = asked.map(latestEndMs).sort((left, right) => left - right).slice(-all.length);
    const wrong = all.sort((left, right) => left.createdMs - right.createdMs).find(({ createdMs }, index) => !(createdMs >= (asked[index]?.receivedMs ?? Number.NaN) - KUBERNETES_TIME_STEP_MS - CLOCK_BOUND_MS && createdMs <= (ends[index] ?? Number.NaN) + CLOCK_BOUND_MS));
    if (wrong !== undefined) yield { rule: `what is there was made when the API server was asked for it; what it shows of ${place} is of other times`, because: [wrong.seq] };
  }
}

/** What the API server gave up on may go on behind its back. */
function latestEndMs({ ending, completedMs }: UnrefusedWrite): number {
  return ending === 'open' ? Number.POSITIVE_INFINITY : completedMs;
}

/** A Secret that was deleted goes at once; other things take their time. */
function* remaining(run: ObservedRun): Faults {
  const last = new Map(run.of('api.watched').map(({ body: { type, object } }) => [placeOf(object).named, object.kind === 'Secret' && type !== 'DELETED']));
  for (const [named, deletions] of deletionsByName(run)) {
    const done = deletions.find(({ ending }) => ending === 'carried-out');
    if (done !== undefined && last.get(named) === true) yield { rule: `what was asked to go goes; the watch does not show ${named} to go`, because: [done.seq] };
  }
}

function* miscountedPods(run: ObservedRun): Faults {
  const shown = groupBy(podLives(run), ({ namespace }) => `pods/${namespace}`);
  for (const collection of new Set([...creationsByCollection(run).keys(), ...shown.keys()])) {
    const made = (creationsByCollection(run).get(collection) ?? []).filter(({ ending }) => ending === 'carried-out');
    const seen = shown.get(collection) ?? [];
    if (collection.startsWith('pods/') && made.length > seen.length) yield { rule: `each Pod that was asked for appears; in ${collection.slice('pods/'.length)} the watch shows ${seen.length} Pods, and the API server has logged ${made.length} creations`, because: [...seen, ...made].map(({ seq }) => seq) };
  }
}

/** Who lists or watches may ask for one that is not there; any other request is answered for what is. */
const OF_MANY = new Set(['list', 'watch', 'deletecollection']);

function* strangePods(run: ObservedRun): Faults {
  const seen = new Set(podLives(run).map((pod) => placeOf(pod.object).named));
  const strange = auditedStages(run).filter((request) => {
    const { verb, resource, namespace, name } = request.event;
    return resource === 'pods' && name !== null && !OF_MANY.has(verb) && succeeded(request) && !seen.has(`pods/${namespace}/${name}`);
  });
  for (const [name, all] of groupBy(strange, ({ event }) => event.name)) yield { rule: `what a request did to a Pod was seen; the watch never showed Pod ${name}`, because: all.map(({ seq }) => seq) };
}

/** A Pod comes to its node by the scheduler, and from its owner, which was made before. */
function* unboundPods(run: ObservedRun): Faults {
  const bound = new Set(unrefusedWrites(run).filter(({ event }) => event.subresource === 'binding').map(({ named }) => named));
  for (const pod of podLives(run)) {
    const { collection, named } = placeOf(pod.object);
    const owners = (pod.object.metadata.ownerReferences ?? []).map(({ kind, name }) => `${kind.toLowerCase()}s/${collection.slice('pods/'.length)}/${name}`);
    if (nodeNameOf(pod) !== null && !bound.has(named)) yield { rule: `a Pod that runs was bound to its node; the API server has logged no binding of ${named}`, because: [pod.seq] };
    for (const owner of owners.filter((each) => !creationsByName(run).has(each))) yield { rule: `the owner of a Pod was made; the API server has logged no creation of ${owner}`, because: [pod.seq] };
  }
}

/** An update carries the resourceVersion of a state that the watch showed, and comes after the writes that led to it. A watch that listed its collection a second time may have passed over states. */
function* otherVersions(run: ObservedRun): Faults {
  const lists = groupBy(requests(run).filter(({ event, identity, receivedMs }) => event.verb === 'list' && identity === administrator(run) && receivedMs < settledUntilMs(run)), ({ event }) => `${event.resource}/${event.namespace}`);
  for (const states of groupBy(run.of('api.watched'), ({ body }) => placeOf(body.object).named).values()) {
    const place = placeOf((states[0] as WatchedObject).body.object);
    const changes = changesByName(run).get(place.named) ?? [];
    const ages = agesOf(states);
    for (const [index, request] of changes.entries()) {
      const version = carriedVersion(request);
      if (version === null) continue;
      const age = ages.get(version);
      const isWatched = age !== undefined || lists.get(place.collection)?.length !== 1 || request.receivedMs > settledUntilMs(run);
      // the writes of others, in order of arrival, of which as many led to that state
      const last = age === undefined || age === 0 ? undefined : changes[age - 1 < index ? age - 1 : age];
      if (!isWatched) yield { rule: `an update carries the resourceVersion of a state that was there; the watch never showed ${place.named} at ${version}`, because: [request.seq] };
      if (age !== undefined && age > 0 && !(last !== undefined && last.receivedMs <= request.receivedMs + CLOCK_BOUND_MS)) yield { rule: `an update comes after the writes that led to the state it carries; ${place.named} was not yet at ${version}`, because: [request.seq] };
    }
  }
}

/** After how many changes of the object each resourceVersion was shown. */
function agesOf(states: readonly WatchedObject[]): ReadonlyMap<string, number> {
  let changes = 0;
  return new Map(states.map(({ body: { type, object } }) => [object.metadata.resourceVersion, type === 'MODIFIED' ? (changes += 1) : changes]));
}

/** What is there cannot be made. */
function* repeatedCreations(run: ObservedRun): Faults {
  for (const [named, creations] of creationsByName(run)) {
    const made = creations.filter(({ ending, event }) => ending === 'carried-out' && event.name !== null);
    const deletions = [named, creations[0]?.collection ?? ''].flatMap((place) => deletionsByName(run).get(place) ?? []);
    const repeated = made.findIndex((again, index) => index > 0 && !deletions.some((deletion) => deletion.receivedMs <= again.completedMs && latestEndMs(deletion) >= (made[index - 1]?.receivedMs ?? 0)));
    if (repeated > 0) yield { rule: `what is there cannot be made again; ${named} was, without having been deleted`, because: made.slice(repeated - 1, repeated + 1).map(({ seq }) => seq) };
  }
}

/** Deliveries and administrator change what they write over, which is then over. But the latter, who lost an answer, writes once more over what came of it, and that changes nothing. */
function* repeatedReplaces(run: ObservedRun): Faults {
  const writers = new Set([administrator(run), DELIVERY, PROBE_DELIVERY]);
  const replaces = unrefusedWrites(run).filter(({ event, identity }) => event.verb === 'update' && event.subresource === null && writers.has(identity));
  for (const [named, all] of groupBy(replaces, (request) => request.named)) {
    const replacedBy = new Map<string, UnrefusedWrite | null>();
    const before = new Set<string>();
    for (const request of all) {
      const version = carriedVersion(request);
      const other = version === null ? undefined : replacedBy.get(version);
      if (other) yield { rule: `a state is replaced once; ${named} was at ${version}, twice`, because: [other.seq, request.seq] };
      if (version !== null && !replacedBy.has(version)) replacedBy.set(version, request.identity === administrator(run) && before.has(request.identity) ? null : request);
      before.add(request.identity);
    }
  }
}
