import { groupBy } from './group-by.ts';
import type { Observation, ObservationKind, ObservationOf } from '../observation.ts';

/** The observations of one run, by kind, in the order of their recording. */
export class ObservedRun {
  readonly #byKind: ReadonlyMap<ObservationKind, readonly Observation[]>;

  constructor(observations: readonly Observation[]) {
    this.#byKind = groupBy(observations, (observation) => observation.kind);
  }

  of<K extends ObservationKind>(kind: K): readonly ObservationOf<K>[] {
    return (this.#byKind.get(kind) ?? []) as unknown as readonly ObservationOf<K>[];
  }

  last<K extends ObservationKind>(kind: K): ObservationOf<K> | null {
    return this.of(kind).at(-1) ?? null;
  }
}

/** A function of a run that is computed once for each run: facts stand on facts, and none is worked out twice. */
export function fact<T>(derive: (run: ObservedRun) => T): (run: ObservedRun) => T {
  const known = new WeakMap<ObservedRun, { readonly value: T }>();
  return (run) => {
    const found = known.get(run) ?? { value: derive(run) };
    known.set(run, found);
    return found.value;
  };
}
