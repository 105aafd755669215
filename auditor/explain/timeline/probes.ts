import type { ObservedRun } from '../../../evidence/facts/observed-run.ts';
import type { ProbeId } from '../../../evidence/observation.ts';
import { groupBy } from '../../../evidence/facts/group-by.ts';
import type { State } from '../explanation.ts';
import { STATE_SIGNS, STATE_TEXTS } from '../state-words.ts';
import type { RunClock } from './clock.ts';
import { span } from './make-mark.ts';
import type { Lane, Look } from './mark.ts';

/** What nobody has judged looks like neither of the two that were. */
const LOOKS: Readonly<Record<State, Look>> = { holds: 'solid', fails: 'hatched', open: 'waiting', unproven: 'waiting', unjudged: 'waiting' };

/** Attempts that had to fail, each as long as it took. Those of one probe are one mark. */
export function probes(run: ObservedRun, clock: RunClock, states: Readonly<Record<ProbeId, State>>): Lane {
  const marks = [...groupBy(run.of('probe.result'), ({ body }) => body.probe)].flatMap(([probe, results]) => {
    const [first, last] = [results[0], results.at(-1)];
    const state = states[probe];
    return span({ key: `probe/${probe}`, fromMs: clock.at(first?.body.startedAt), toMs: clock.at(last?.body.endedAt), look: LOOKS[state], label: `${STATE_SIGNS[state]} ${probe}${results.length > 1 ? ` ×${results.length}` : ''}`, words: `${probe}: ${first?.body.attempt}: ${first?.body.outcome}${state === 'holds' ? '' : ` (${STATE_TEXTS[state]})`}`, credential: 0, witness: 'probe', seqs: results });
  });
  return { id: 'probes', title: 'Probes', witness: 'probe', rows: [marks], isPacked: true };
}
