import { isOfItsWait, type FailureIndex } from '../../evidence/failure-index.ts';
import type { RunEnd } from '../run/run.ts';
import { suiteOf, unjudgedSuite } from './judged-cases.ts';
import type { JudgedSuite } from './junit-xml.ts';

/** What a run has to say as a test report: every gate and probe, also where it ended before they could be judged; of one that failed, its step before them, with all the time: whoever reads the file adds up. */
export function suitesOfRun(end: RunEnd): readonly JudgedSuite[] {
  const seconds = end.spans.elapsedMs / 1_000;
  const judged = end.derivation === null ? null : suiteOf(end.derivation, { seconds: end.end === 'held' ? seconds : 0, properties: { sourceRevision: end.derivation.report.sourceRevision ?? 'unknown' } });
  if (end.end === 'held') return judged === null ? [] : [judged];
  const run = failedRun(end.failure, seconds);
  return [run, judged ?? unjudgedSuite({ ...run, name: 'gates and probes', seconds: 0 }, { isEmbedded: end.failure.substrate === 'embedded' })];
}

function failedRun(failure: FailureIndex, seconds: number): JudgedSuite {
  const { step, expectation, causes, failedAt, elapsedMs, runId, substrate } = failure;
  const isLate = isOfItsWait(failure);
  const told = causes.map(({ code, message }) => `${code === null ? '' : `${code}: `}${message}`);
  const waited = expectation === null ? [] : [`${isLate ? 'expected' : 'waited for'} ${expectation.expected}`, `last seen: ${expectation.lastSeen?.text ?? 'nothing'}`];
  return {
    name: 'run',
    timestamp: failedAt.replace(/\.\d+Z$/, ''),
    seconds,
    properties: { runId, substrate },
    cases: [{ className: 'run', name: step?.id ?? 'start', seconds: (elapsedMs - (step?.startedMs ?? 0)) / 1_000, outcome: { is: 'failed', message: told[0] ?? 'failed', text: [...(step === null ? [] : [step.title]), ...(isLate ? [...waited, ...told] : [...told, ...waited])].join('\n') } }],
  };
}
