import { BUNDLE_LAYOUT } from '../../../evidence/bundle-layout.ts';
import { finalObject } from '../../../evidence/bundle-parts.ts';
import { canonicalJson } from '../../../evidence/canonical-json.ts';
import { dig, textAt } from '../../../evidence/facts/fields.ts';
import { groupBy } from '../../../evidence/facts/group-by.ts';
import type { Observation, ObservationOf, ObservedObject } from '../../../evidence/observation.ts';
import { readLines } from '../canonical-text.ts';
import { creations, nameOf } from './creations.ts';

const { path } = BUNDLE_LAYOUT.finalObjects;
type Seen = ObservationOf<'api.object'> | ObservationOf<'api.watched'>;

/** Wherever they are, the run watches all of these, or reads the requests that make them. */
const ALWAYS_WATCHED = new Set(['Pod', 'Deployment', 'Job']);
const NEVER_MADE_UNASKED = new Set(['NetworkPolicy', 'Role', 'RoleBinding']);

/**
 * Does the API server say the same of an object wherever it was asked? A UID and a resourceVersion have one content; what was watched or
 * read is there at the end, as it was last; and nothing is there that no other witness knows.
 */
export function finalObjectFaults(text: string, observations: readonly Observation[]): string[] {
  const { values, faults } = readLines(path, text, finalObject);
  const finals = new Map(values.map((object) => [object.metadata.uid, object]));
  const seen = observations.filter((observation) => observation.kind === 'api.object' || observation.kind === 'api.watched');
  return [...faults, ...otherContents(finals, seen), ...otherEndings(finals, seen, observations), ...unknownObjects(values, seen, observations)];
}

function otherContents(finals: ReadonlyMap<string, ObservedObject>, seen: readonly Seen[]): string[] {
  return seen.flatMap(({ seq, body: { object } }) => {
    const final = finals.get(object.metadata.uid);
    // the state that a deletion is told with is the last one, under a resourceVersion of its own
    return final === undefined || !isSameState(final, object) || canonicalJson(final) === canonicalJson(object) ? [] : [`${path}: observation ${seq} says otherwise of ${object.kind} ${object.metadata.name} at resourceVersion ${object.metadata.resourceVersion}`];
  });
}

function otherEndings(finals: ReadonlyMap<string, ObservedObject>, seen: readonly Seen[], observations: readonly Observation[]): string[] {
  const collectedFrom = observations.findLast(({ kind, body }) => kind === 'run.step' && body.step === 'collect' && body.state === 'started')?.seq ?? 0;
  return [...groupBy(seen, ({ body }) => body.object.metadata.uid)].flatMap(([uid, all]) => {
    const [last, final] = [all.at(-1) as Seen, finals.get(uid)];
    const { object } = last.body;
    if (final === undefined) return 'type' in last.body && last.body.type === 'DELETED' ? [] : [`${path}: ${object.kind} ${object.metadata.name} is missing, which observation ${last.seq} shows`];
    // all of it was read after the collecting had begun: no earlier state than the last one until then
    const current = all.filter(({ seq }, index) => seq > collectedFrom || (all[index + 1]?.seq ?? Infinity) > collectedFrom);
    return current.some(({ body }) => isSameState(final, body.object)) || mayHaveFollowed(object, final) ? [] : [`${path}: ${object.kind} ${object.metadata.name} is at resourceVersion ${final.metadata.resourceVersion}, observation ${last.seq} shows it at ${object.metadata.resourceVersion}`];
  });
}

/** A watch that ends a moment too early may miss what a controller or kubelet then writes into a status. How a Pod's containers ended changes no more. */
function mayHaveFollowed(last: ObservedObject, final: ObservedObject): boolean {
  const rest = ({ metadata, ...object }: ObservedObject): string => canonicalJson({ ...object, status: null, metadata: { ...metadata, resourceVersion: '' } });
  const isFree = last.kind === 'Deployment' || (last.kind === 'Pod' && (!hasEnded(last) || endOf(last) === endOf(final)));
  return isFree && Number(final.metadata.resourceVersion) > Number(last.metadata.resourceVersion) && rest(last) === rest(final);
}

function hasEnded(pod: ObservedObject): boolean {
  return ['Succeeded', 'Failed'].includes(textAt(pod, 'status', 'phase') ?? '');
}

function endOf(pod: ObservedObject): string {
  return canonicalJson(['phase', 'initContainerStatuses', 'containerStatuses'].map((field) => dig(pod, 'status', field) ?? null));
}

function unknownObjects(finals: readonly ObservedObject[], seen: readonly Seen[], observations: readonly Observation[]): string[] {
  const uids = new Set(seen.map(({ body }) => body.object.metadata.uid));
  const collections = new Set(seen.map(({ body }) => collectionOf(body.object)));
  const created = creations(observations);
  const told = new Set<string>();
  return finals.flatMap((object) => {
    const name = nameOf(object);
    if (told.has(name)) return [`${path}: ${object.kind} ${object.metadata.name} is there twice`];
    told.add(name);
    const isSeen = uids.has(object.metadata.uid) || !(ALWAYS_WATCHED.has(object.kind) || collections.has(collectionOf(object)));
    return isSeen && (!NEVER_MADE_UNASKED.has(object.kind) || created.has(name)) ? [] : [`${path}: no observation shows ${object.kind} ${object.metadata.name}, or that it was made`];
  });
}

function collectionOf({ kind, metadata }: ObservedObject): string {
  return `${kind}/${metadata.namespace ?? ''}`;
}

function isSameState(left: ObservedObject, right: ObservedObject): boolean {
  return left.metadata.uid === right.metadata.uid && left.metadata.resourceVersion === right.metadata.resourceVersion;
}
