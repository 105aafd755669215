import { missingOf, namesIn } from './catch.ts';
import type { Judge } from './judge.ts';
import { rehearseIn, type RunInCopy } from './rehearse-in.ts';
import type { TreeLie } from './tree-lie.ts';
import type { Row } from './table.ts';

/** Lets a copy of the tree lie in a whole rehearsal, and asks the honest auditor what it sees. */
export async function tellTreeLie(lie: TreeLie, tree: string, judge: Judge, signal: AbortSignal, keep: (log: string) => void = () => undefined): Promise<Row> {
  const row = { lie: lie.name, told: 'tree', expected: lie.caughtBy } as const;
  const run = await rehearseUntilTold(lie, tree, signal);
  if (run.log === null) return { ...row, found: [], verdict: `left no log: ${run.ending.slice(0, 300)}` };
  keep(run.log);
  if (!hasBegun(run.log)) return { ...row, found: [], verdict: `the lie was never told, the run ended before the contract: ${run.ending.slice(0, 300)}` };
  const findings = judge.findings(run.log, run.report);
  const found = namesIn(findings);
  const finished = run.log.includes('"kind":"run.finished"');
  const missing = missingOf(lie.caughtBy, found);
  return { ...row, found: [...found], verdict: verdictOf(lie, { finished, missing, details: findings.map(({ detail }) => detail), ending: run.ending, exitCode: run.exitCode }) };
}

const TIMES = 3;

/** A run on a busy machine may end before the contract begins; the lie has not been told then, and is told again. */
async function rehearseUntilTold({ name, patches }: TreeLie, tree: string, signal: AbortSignal): Promise<RunInCopy> {
  for (let time = 1; ; time += 1) {
    const run = await rehearseIn(tree, `${name}-${time}`, patches, signal);
    if (time === TIMES || hasBegun(run.log)) return run;
  }
}

const hasBegun = (log: string | null): boolean => log?.includes('"step":"objects"') === true;

export interface Outcome {
  /** Whether the run got to its last observation. */
  readonly finished: boolean;
  readonly missing: readonly string[];
  readonly details: readonly string[];
  readonly ending: string;
  readonly exitCode: number | null;
}

/** Null when the lie was caught as it should be, and because of what it does. */
export function verdictOf({ refusedWith, says }: Pick<TreeLie, 'refusedWith' | 'says'>, { finished, missing, details, ending, exitCode }: Outcome): string | null {
  if (!finished && refusedWith === undefined) return `the run ended before its last observation: ${ending.slice(0, 300)}`;
  if (missing.length > 0) return `not caught by ${missing.join(', ')}${exitCode === 0 ? '; the run wrote a report' : ''}`;
  if (finished) return says === undefined || details.some((detail) => says.test(detail)) ? null : `caught for another reason: no finding says ${says.source}`;
  return refusedWith?.test(ending) === true ? null : `the run ended otherwise than expected: ${ending.slice(0, 300)}`;
}
