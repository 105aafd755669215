import type { Observation, Witness } from '../../evidence/observation.ts';
import type { Verdict } from '../../evidence/verdict.ts';
import type { ToldObservation, ToldRule } from './explanation.ts';
import { tellObservation } from './observation-words.ts';
import type { RunClock } from './timeline/clock.ts';

/** Who saw what a verdict rests on, each once. */
export function witnessesOf({ because }: Verdict, observations: readonly Observation[]): readonly Witness[] {
  return [...new Set(because.flatMap((seq) => observations[seq - 1]?.witness ?? []))].sort();
}

/** The rules with what was seen of each: at most so many observations, those that say the same told once. */
export function tellRules({ rules }: Verdict, observations: readonly Observation[], clock: RunClock, most: number): readonly ToldRule[] {
  return rules.map(({ rule, met, because }) => {
    const told = merge(because.flatMap((seq) => tellOne(observations[seq - 1], clock)));
    return { words: rule, met, observations: told.slice(0, most), moreObservations: told.slice(most).reduce((sum, { times }) => sum + times, 0) };
  });
}

function tellOne(observation: Observation | undefined, clock: RunClock): ToldObservation[] {
  if (observation === undefined) return [];
  const atMs = clock.of(observation);
  return [{ seq: observation.seq, atMs, step: clock.stepAt(atMs)?.step ?? null, witness: observation.witness, words: tellObservation(observation, clock), times: 1 }];
}

/** Reviews come by the dozen: how many of one identity were allowed and denied says it. */
function merge(all: readonly ToldObservation[]): readonly ToldObservation[] {
  const merged = new Map<string, ToldObservation>();
  for (const each of all) {
    const words = each.words.replace(/: review of .*: (allowed|denied), answered \d+$/, ': asked what it may do: $1');
    const known = merged.get(`${each.step}/${words}`);
    merged.set(`${each.step}/${words}`, known === undefined ? { ...each, words } : { ...known, times: known.times + 1 });
  }
  return [...merged.values()];
}
