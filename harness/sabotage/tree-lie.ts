import type { Catch } from './catch.ts';

/** One exact replacement in one file; the text must stand there exactly once. */
export interface Patch {
  readonly file: string;
  readonly search: string;
  readonly replacement: string;
}

/** A lie that is told by another program: a copy of the tree in which one action is left out, done twice, done by another, or done to something else. */
export interface TreeLie {
  readonly name: string;
  /** What the copy does, and lets appear as the contract. */
  readonly pretends: string;
  readonly patches: readonly Patch[];
  /** Each of these must be among what the auditor of the honest tree finds. */
  readonly caughtBy: readonly Catch[];
  /** Part of what the auditor must say: the rule that sees this lie, since its gate has others. Asked of a run that got to its last observation. */
  readonly says?: RegExp;
  /** Where the run cannot go on under the lie: what it must say of its end. Without it the run has to get to its last observation. */
  readonly refusedWith?: RegExp;
}
