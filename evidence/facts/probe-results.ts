import { groupBy } from './group-by.ts';
import { CLOCK_BOUND_MS } from '../clock-bound.ts';
import { instantMs } from '../instants.ts';
import type { ObservationOf, ProbeId } from '../observation.ts';
import type { FactsOf } from '../probe-facts.ts';
import type { Window } from './audit.ts';
import { fact, type ObservedRun } from './observed-run.ts';

/** One probe with its facts as recorded; nothing of it is true before another witness agrees. */
export interface ProbeResult<P extends ProbeId> {
  readonly seq: number;
  readonly facts: Partial<FactsOf<P>>;
  /** In a word, for people. */
  readonly outcome: string;
  /** The attempt, widened by the clock bound. */
  readonly window: Window;
}

const resultsById = fact((run: ObservedRun) => groupBy(run.of('probe.result'), ({ body }) => body.probe));

export function probeResults<P extends ProbeId>(run: ObservedRun, probe: P): readonly ProbeResult<P>[] {
  return (resultsById(run).get(probe) ?? []).map((result) => toResult(result));
}

/** The only result of the probe; null when there is none, or several. */
export function probeResult<P extends ProbeId>(run: ObservedRun, probe: P): ProbeResult<P> | null {
  const results = probeResults(run, probe);
  return results.length === 1 ? (results[0] as ProbeResult<P>) : null;
}

function toResult<P extends ProbeId>({ seq, body }: ObservationOf<'probe.result'>): ProbeResult<P> {
  const window = { fromMs: instantMs(body.startedAt) - CLOCK_BOUND_MS, toMs: instantMs(body.endedAt) + CLOCK_BOUND_MS };
  return { seq, facts: body.facts as Partial<FactsOf<P>>, outcome: body.outcome, window };
}
