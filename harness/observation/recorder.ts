import { WITNESS_OF, type ObservationBodies, type ObservationKind, type Witness } from '../../evidence/observation.ts';

/** Appends to the run's observation log. Without a witness the kind's own one is meant; returns the sequence number. */
export interface Recorder {
  record<K extends ObservationKind>(kind: K, subject: string, body: ObservationBodies[K], witness?: Witness): number;
}

export function witnessOf(kind: ObservationKind): Witness {
  const [witness] = WITNESS_OF[kind];
  if (witness === undefined) throw new TypeError(`no witness is named for ${kind}`);
  return witness;
}
