import type { Observation, ObservationBodies, ObservationKind, ObservationOf } from '../../evidence/observation.ts';

type Log = readonly Observation[];
type Body<K extends ObservationKind> = ObservationBodies[K];
type Matches<K extends ObservationKind> = (body: Body<K>, observation: ObservationOf<K>) => boolean;
export type Edit = (log: Log) => Observation[];
export type Row = Readonly<Record<string, string | number | boolean | null>>;

/** Numbers the log anew and corrects the count at its end: a forger would do no less. */
export function renumber(log: Log): Observation[] {
  return log.map((observation, index) => {
    const numbered = { ...observation, seq: index + 1 };
    return numbered.kind === 'run.finished' ? { ...numbered, body: { observations: index } } : numbered;
  });
}

function isOf<K extends ObservationKind>(kind: K, matches: Matches<K>, observation: Observation): boolean {
  return observation.kind === kind && matches(observation.body as Body<K>, observation as unknown as ObservationOf<K>);
}

export function find<K extends ObservationKind>(log: Log, kind: K, matches: Matches<K> = () => true): ObservationOf<K> {
  const found = log.find((observation) => isOf(kind, matches, observation));
  if (found === undefined) throw new Error(`the lie looks for a ${kind} that is not there`);
  return found as unknown as ObservationOf<K>;
}

export function all<K extends ObservationKind>(log: Log, kind: K, matches: Matches<K> = () => true): readonly ObservationOf<K>[] {
  return log.filter((observation) => isOf(kind, matches, observation)) as unknown as readonly ObservationOf<K>[];
}

function changed(before: Log, after: Log): Observation[] {
  const numbered = renumber(after);
  if (JSON.stringify(numbered) === JSON.stringify(before)) throw new Error('the lie changed nothing: it looks for an observation that is not there');
  return numbered;
}

export function drop<K extends ObservationKind>(kind: K, matches: Matches<K> = () => true): Edit {
  return (log) => changed(log, log.filter((observation) => !isOf(kind, matches, observation)));
}

export function dropFirst<K extends ObservationKind>(kind: K, matches: Matches<K> = () => true): Edit {
  return (log) => {
    const first = find(log, kind, matches);
    return changed(log, log.filter(({ seq }) => seq !== first.seq));
  };
}

export function alter<K extends ObservationKind>(kind: K, matches: Matches<K>, change: (body: Body<K>) => Body<K>): Edit {
  return (log) => changed(log, log.map((observation) => (isOf(kind, matches, observation) ? ({ ...observation, body: change(structuredClone(observation.body) as Body<K>) } as Observation) : observation)));
}

export function alterFirst<K extends ObservationKind>(kind: K, matches: Matches<K>, change: (body: Body<K>) => Body<K>): Edit {
  return (log) => {
    const first = find(log, kind, matches);
    return alter(kind, (_, { seq }) => seq === first.seq, change)(log);
  };
}

/** Puts a copy, changed, right behind the first observation that matches. */
export function copyFirst<K extends ObservationKind>(kind: K, matches: Matches<K>, change: (body: Body<K>) => Body<K> = (body) => body): Edit {
  return (log) => {
    const first = find(log, kind, matches);
    const copy = { ...first, body: change(structuredClone(first.body)) } as unknown as Observation;
    return changed(log, log.toSpliced(first.seq, 0, copy));
  };
}

/** Takes the first observation that matches away and puts it behind another one, with that one's time. */
export function moveBehind<K extends ObservationKind>(kind: K, matches: Matches<K>, behind: (log: Log) => { readonly seq: number }): Edit {
  return (log) => {
    const moved = find(log, kind, matches);
    const place = log.find(({ seq }) => seq === behind(log).seq);
    if (place === undefined) throw new Error('the lie looks for a place that is not there');
    const { at, offsetMs } = place;
    const late = { ...moved, at, offsetMs } as unknown as Observation;
    return changed(log, log.flatMap((observation) => (observation.seq === moved.seq ? [] : observation.seq === place.seq ? [observation, late] : [observation])));
  };
}

export function alterRows(table: string, matches: (row: Row) => boolean, change: (row: Row) => Row): Edit {
  return alter('database.rows', (body) => body.table === table, (body) => ({ ...body, rows: body.rows.map((row) => (matches(row) ? change(row) : row)) }));
}

export function dropRows(table: string, matches: (row: Row) => boolean): Edit {
  return alter('database.rows', (body) => body.table === table, (body) => ({ ...body, rows: body.rows.filter((row) => !matches(row)) }));
}

export function inTurn(...edits: readonly Edit[]): Edit {
  return (log) => edits.reduce<Observation[]>((told, edit) => edit(told), [...log]);
}

/** Sets one value deep inside a JSON value. */
export function setIn<T>(value: T, path: readonly (string | number)[], replacement: unknown): T {
  const [key, ...rest] = path;
  if (key === undefined) return replacement as T;
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...value }) as Record<string | number, unknown>;
  copy[key] = setIn(copy[key], rest, replacement);
  return copy as T;
}

export function line(change: Readonly<Record<string, unknown>>): <B extends { readonly line: Readonly<Record<string, unknown>> }>(body: B) => B {
  return (body) => ({ ...body, line: { ...body.line, ...change } });
}
