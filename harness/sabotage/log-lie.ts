import type { Observation } from '../../evidence/observation.ts';
import type { Catch } from './catch.ts';

/** The logs of two good runs: one is lied in, the other is copied from. */
export interface RecordedRuns {
  readonly observations: readonly Observation[];
  readonly another: readonly Observation[];
}

/** What is handed to the auditor. A report that is not given is derived from the log, as the program that wrote the log would have. */
export interface Forgery {
  readonly log: readonly Observation[] | string;
  readonly report?: unknown;
}

/** A lie that is told in the log of a run, or in its report. It throws when it finds nothing to change. */
export interface LogLie {
  readonly name: string;
  readonly pretends: string;
  readonly caughtBy: readonly Catch[];
  readonly tell: (runs: RecordedRuns) => Forgery;
}

export function textOf(log: Forgery['log']): string {
  return typeof log === 'string' ? log : log.map((observation) => `${JSON.stringify(observation)}\n`).join('');
}
