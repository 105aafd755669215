import type { ProbeId } from '../../../evidence/observation.ts';
import type { ProbeFacts } from '../../../evidence/probe-facts.ts';
import { expecting } from '../../progress/activity.ts';
import type { ContractContext } from '../context.ts';

type Outcome<P extends ProbeId> = { readonly outcome: string; readonly facts: ProbeFacts[P] };

/** Makes one attempt and records what came back, with the instants that enclose it. The attempt reports; it never decides. */
export async function recordProbe<P extends ProbeId>(
  context: Pick<ContractContext, 'recorder' | 'spans'>,
  probe: P,
  attempt: string,
  make: () => Promise<Outcome<P>>,
): Promise<ProbeFacts[P]> {
  const startedAt = new Date().toISOString();
  const came = await context.spans.measure(`probe ${probe}`, () => expecting({ expected: `an outcome of the attempt: ${attempt}` }, make));
  recordAttempt(context, probe, attempt, { startedAt, endedAt: new Date().toISOString() }, came);
  return came.facts;
}

/** Records an attempt that somebody else made, with the instants that enclose it. */
export function recordAttempt<P extends ProbeId>(
  context: Pick<ContractContext, 'recorder'>,
  probe: P,
  attempt: string,
  { startedAt, endedAt }: { readonly startedAt: string; readonly endedAt: string },
  { outcome, facts }: Outcome<P>,
): void {
  context.recorder.record('probe.result', probe, { probe, attempt, outcome, startedAt, endedAt, facts });
}
