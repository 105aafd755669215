import type { Observation, ObservationBodies, ObservationKind, Witness } from '../observation.ts';
import { renumber, type Row } from './story.ts';

/** A change to a log, as somebody would make it who wants to hide what did not happen. It must find something to change. */
export type Lie = (observations: readonly Observation[]) => Observation[];

type Of<K extends ObservationKind> = Extract<Observation, { kind: K }>;
type Body<K extends ObservationKind> = ObservationBodies[K];

function changed(before: readonly Observation[], after: readonly Observation[]): Observation[] {
  if (JSON.stringify(before) === JSON.stringify(after)) throw new Error('the lie changed nothing: it looks for an observation that is not there');
  return renumber(after);
}

/** Leaves observations out and closes the gap. */
export function drop<K extends ObservationKind>(kind: K, matches: (body: Body<K>) => boolean = () => true): Lie {
  return (observations) => changed(observations, observations.filter((each) => each.kind !== kind || !matches(each.body as Body<K>)));
}

export function alter<K extends ObservationKind>(kind: K, matches: (body: Body<K>) => boolean, change: (body: Body<K>) => Body<K>): Lie {
  return (observations) =>
    changed(
      observations,
      observations.map((each) => (each.kind === kind && matches(each.body as Body<K>) ? ({ ...each, body: change(structuredClone(each.body) as Body<K>) } as unknown as Observation) : each)),
    );
}

export function alterRow(table: string, matches: (row: Row) => boolean, change: Row): Lie {
  return alter(
    'database.rows',
    (body) => body.table === table,
    (body) => ({ ...body, rows: body.rows.map((row) => (matches(row) ? { ...row, ...change } : row)) }),
  );
}

export function dropRow(table: string, matches: (row: Row) => boolean): Lie {
  return alter(
    'database.rows',
    (body) => body.table === table,
    (body) => ({ ...body, rows: body.rows.filter((row) => !matches(row)) }),
  );
}

/** Puts a copy, changed, right behind the first observation that matches. */
export function insertAfter<K extends ObservationKind>(kind: K, matches: (body: Body<K>) => boolean, change: (body: Body<K>) => Body<K>): Lie {
  return (observations) => {
    const index = observations.findIndex((each) => each.kind === kind && matches(each.body as Body<K>));
    const found = observations[index] as Of<K> | undefined;
    if (found === undefined) throw new Error('the lie has no place: it looks for an observation that is not there');
    const copy = { ...found, body: change(structuredClone(found.body) as Body<K>) } as Observation;
    return changed(observations, observations.toSpliced(index + 1, 0, copy));
  };
}

export function setWitness(kind: ObservationKind, witness: Witness): Lie {
  return (observations) => changed(observations, observations.map((each) => (each.kind === kind ? { ...each, witness } : each)));
}

/** Sets one value deep inside an observed object. */
export function setIn<T>(value: T, path: readonly (string | number)[], replacement: unknown): T {
  const [key, ...rest] = path;
  if (key === undefined) return replacement as T;
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...value }) as Record<string | number, unknown>;
  copy[key] = setIn(copy[key], rest, replacement);
  return copy as T;
}

/** Sets a value in every state that the watch showed of the objects that match. */
export function alterObject(matches: (object: Body<'api.watched'>['object']) => boolean, path: readonly (string | number)[], replacement: unknown): Lie {
  return alter('api.watched', ({ object }) => matches(object), (body) => ({ ...body, object: setIn(body.object, path, replacement) }));
}

/** Matches once. */
export function first<T>(matches: (item: T) => boolean): (item: T) => boolean {
  let found = false;
  return (item) => {
    const match = !found && matches(item);
    found ||= match;
    return match;
  };
}
