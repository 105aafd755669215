import type { GateName } from '../../../evidence/gate-names.ts';
import type { Witness } from '../../../evidence/observation.ts';

/** How a mark looks; each look has a shape or pattern of its own, so that none is told by its colour alone. */
export type Look = 'solid' | 'waiting' | 'ending' | 'hatched' | 'dot' | 'square' | 'diamond' | 'tick' | 'cross' | 'number';

/** What was done under which credential: 1 to 4, or 0 where it belongs to none. */
export type CredentialNumber = 0 | 1 | 2 | 3 | 4;

/** One thing that a witness saw, in milliseconds since the log was opened. */
export interface Mark {
  /** By which proofs find it, e.g. `pod/UID`. */
  readonly key: string;
  readonly fromMs: number;
  /** Equal to `fromMs` for a moment; infinite for what had not ended. */
  readonly toMs: number;
  readonly look: Look;
  /** Parts of a span that look otherwise than it. */
  readonly parts?: readonly { readonly fromMs: number; readonly toMs: number; readonly look: Look }[];
  readonly label: string;
  /** What stands in its place where there is less room. */
  readonly shortLabel?: string;
  /** Time is stretched so far that its label can be read. */
  readonly isNamed?: boolean;
  /** The whole of it in a sentence. */
  readonly words: string;
  readonly credential: CredentialNumber;
  readonly witness: Witness;
  /** The observations that it stands for. */
  readonly seqs: readonly number[];
}

export interface Lane {
  readonly id: string;
  readonly title: string;
  readonly witness: Witness;
  /** Marks of one row do not lie on each other. */
  readonly rows: readonly (readonly Mark[])[];
  /** Instants that are only counted: how many there were in a stretch of time. */
  readonly crowd?: readonly number[];
  /** Its rows are told by their place: they need no room for words. */
  readonly isThin?: boolean;
  /** What of it is too short for its name is told beside it, in its own row. */
  readonly namesBeside?: boolean;
  /** Its marks are told beside them; the picture finds rows in which their words do not lie on each other. */
  readonly isPacked?: boolean;
}

/** Which end of a mark is meant. */
export interface Anchor {
  readonly key: string;
  readonly end: 'from' | 'to';
}

/** An order, or something enclosed, that carries one gate or several. */
export interface Proof {
  readonly gates: readonly GateName[];
  readonly from: Anchor;
  readonly to: Anchor;
  readonly words: string;
}

export interface StepSpan {
  readonly step: string;
  readonly title: string;
  readonly sentence: string;
  readonly phase: string;
  readonly fromMs: number;
  /** Infinite when the run ended within it. */
  readonly toMs: number;
}

/** A run as it is drawn. */
export interface Timeline {
  readonly steps: readonly StepSpan[];
  readonly lanes: readonly Lane[];
  readonly proofs: readonly Proof[];
  readonly endMs: number;
}
