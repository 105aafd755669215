import { claimStates } from '../../../evidence/facts/claim.ts';
import { numberAt, textAt } from '../../../evidence/facts/fields.ts';
import { journalEntries } from '../../../evidence/facts/journal.ts';
import type { ObservedRun } from '../../../evidence/facts/observed-run.ts';
import { eventLine } from '../../../evidence/facts/process-lines.ts';
import { productPods } from '../../../evidence/facts/worker-pods.ts';
import type { RunClock } from './clock.ts';
import { moment, span } from './make-mark.ts';
import type { Lane, Mark } from './mark.ts';

/** The claim, and what each Pod found on its volume when it began. */
export function volume(run: ObservedRun, clock: RunClock): Lane {
  const states = claimStates(run);
  const [first, last] = [states[0], states.at(-1)];
  const claim = span({ key: 'claim', fromMs: clock.at(first?.at), toMs: Number.NaN, look: 'hatched', label: 'one claim, one volume', words: `claim ${first?.body.object.metadata.name}: ${textAt(last?.body.object, 'status', 'phase')}`, credential: 0, witness: 'api-watch', seqs: [first, last] });
  const actors = journalEntries(run).flatMap(({ pod, inherited, sources }, index): Mark[] =>
    moment({ key: `journal/${index}`, atMs: clock.at(eventLine(run, pod.uid, 'started')?.at), look: 'number', label: String(inherited?.length ?? '?'), words: `Pod ${pod.name} found ${inherited?.length} records of its predecessors`, credential: 0, witness: 'process', seqs: sources }));
  const products = productPods(run).flatMap((pod, index): Mark[] => {
    const line = eventLine(run, pod.uid, 'reconciled');
    const [older, own] = [numberAt(line?.body.line, 'rolloutRecordsFound'), numberAt(line?.body.line, 'recordsFound')];
    return moment({ key: `reconciled/${index + 1}`, atMs: line === null ? Number.NaN : clock.of(line), look: 'number', label: String((older ?? 0) + (own ?? 0)), words: `Pod ${pod.name} reconciled ${older} records of phase A and ${own} of its predecessors' sessions`, credential: 0, witness: 'process', seqs: [line] });
  });
  const row = [...claim, ...actors, ...products];
  return { id: 'volume', title: 'Volume', witness: 'process', rows: row.length > 0 ? [row] : [] };
}
