import { fact, type ObservedRun } from './facts/observed-run.ts';

/** What a gate or probe gate concludes, and from which observations. */
export interface Verdict {
  readonly holds: boolean;
  /** Sequence numbers, rising, each once. */
  readonly because: readonly number[];
  /** The rules that were not met, in words; empty when it holds. */
  readonly unmet: readonly UnmetRule[];
  /** Every rule that was asked, met or not, in the order of asking. */
  readonly rules: readonly Rule[];
}
export interface UnmetRule {
  readonly rule: string;
  readonly because: readonly number[];
}
export interface Rule extends UnmetRule {
  readonly met: boolean;
}

/** Anything that says which observation it comes from; absent ones contribute nothing. */
export type Source = { readonly seq: number } | null | undefined;

export function rule(words: string, met: boolean, sources: Iterable<Source> = []): Rule {
  return { rule: words, met, because: sequenceOf(sources) };
}

/** Nothing of the kind may be found; what was found is the reason. */
export function nothing(words: string, found: readonly { readonly seq: number }[]): Rule {
  return rule(words, found.length === 0, found);
}

/** Holds when every rule is met and at least one observation carries it: nothing holds of an empty log. */
export function verdict(rules: Iterable<Rule>): Verdict {
  const all = [...rules];
  const because = risingOnce(all.flatMap((each) => each.because));
  const unmet = all.filter((each) => !each.met).map(({ rule: words, because: seqs }) => ({ rule: words, because: seqs }));
  if (because.length === 0 && unmet.length === 0) unmet.push({ rule: 'it was observed at all', because: [] });
  return { holds: unmet.length === 0, because, unmet, rules: all };
}

/** The verdict on a run that follows from these rules. */
export function judged(rulesOf: (run: ObservedRun) => Iterable<Rule>): (run: ObservedRun) => Verdict {
  return fact((run) => verdict(rulesOf(run)));
}

/** One rule that stands for another verdict. */
export function ruleOf(words: string, other: Verdict): Rule {
  return { rule: words, met: other.holds, because: other.because };
}

function sequenceOf(sources: Iterable<Source>): number[] {
  const seqs: number[] = [];
  for (const source of sources) if (source !== null && source !== undefined) seqs.push(source.seq);
  return risingOnce(seqs);
}

function risingOnce(seqs: readonly number[]): number[] {
  return [...new Set(seqs)].sort((left, right) => left - right);
}
