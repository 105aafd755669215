import type { FailureIndex } from '../../evidence/failure-index.ts';
import type { Witness } from '../../evidence/observation.ts';
import type { Finding } from '../findings.ts';
import type { StepSpan } from './timeline/mark.ts';

/** What a gate or probe came to. `unproven`: its platform cannot prove it. `open`: the run ended before it could be known. `unjudged`: what it would be judged by is damaged or not there. */
export type State = 'holds' | 'fails' | 'unproven' | 'open' | 'unjudged';

/** What was seen, in words. */
export interface ToldObservation {
  readonly seq: number;
  /** Milliseconds since the log was opened. */
  readonly atMs: number;
  readonly step: string | null;
  readonly witness: Witness;
  readonly words: string;
  /** How many like it this one stands for. */
  readonly times: number;
}

export interface ToldRule {
  readonly words: string;
  readonly met: boolean;
  readonly observations: readonly ToldObservation[];
  /** Observations beside those that are told. */
  readonly moreObservations: number;
}

/** A gate or a probe for people. */
export interface ToldVerdict {
  readonly kind: 'gate' | 'probe';
  readonly name: string;
  /** As in the picture; null of a probe. */
  readonly number: number | null;
  readonly title: string;
  readonly proves: string;
  readonly doesNotProve: string;
  readonly state: State;
  /** Who saw it; empty where only the report says it. */
  readonly witnesses: readonly Witness[];
  /** How many observations it rests on. */
  readonly observationCount: number;
  readonly rules: readonly ToldRule[];
}

export interface Explanation {
  readonly schemaVersion: 1;
  readonly source: 'report' | 'bundle' | 'failure';
  readonly headline: string;
  /** Where the states come from: derived anew, or said by the report alone. */
  readonly standing: string;
  readonly fixture: string | null;
  readonly sourceRevision: string | null;
  readonly observedAt: string | null;
  readonly platform: string | null;
  readonly findings: readonly Finding[];
  readonly gates: readonly ToldVerdict[];
  readonly probes: readonly ToldVerdict[];
  readonly steps: readonly Omit<StepSpan, 'phase'>[];
  readonly limitations: readonly string[];
  readonly failure: FailureIndex | null;
  /** Of a failure without an index. */
  readonly error: string | null;
}
