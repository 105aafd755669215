import type { FailureIndex } from '../../evidence/failure-index.ts';
import type { RunEnd } from '../run/run.ts';
import { suiteOf } from './judged-cases.ts';
import type { JudgedSuite } from './junit-xml.ts';

/** What a run has to say as a test report. One that failed before anything could be judged is one failed testcase: its step. */
export function suitesOfRun(end: RunEnd): readonly JudgedSuite[] {
  const seconds = end.spans.elapsedMs / 1_000;
  const run = end.end === 'failed' ? failedRun(end.failure, seconds) : null;
  const judged = end.derivation === null ? [] : [suiteOf(end.derivation, { seconds, properties: { sourceRevision: end.derivation.report.sourceRevision ?? 'unknown' } })];
  return run === null ? judged : [run, ...judged];
}

function failedRun({ step, expectation, causes, failedAt, elapsedMs, runId, substrate }: FailureIndex, seconds: number): JudgedSuite {
  const told = causes.map(({ code, message }) => `${code === null ? '' : `${code}: `}${message}`);
  const waited = expectation === null ? [] : [`expected ${expectation.expected}`, `last seen: ${expectation.lastSeen?.text ?? 'nothing'}`];
  return {
    name: 'run',
    timestamp: failedAt.replace(/\.\d+Z$/, ''),
    seconds,
    properties: { runId, substrate },
    cases: [{ className: 'run', name: step?.id ?? 'start', seconds: (elapsedMs - (step?.startedMs ?? 0)) / 1_000, outcome: { is: 'failed', message: told[0] ?? 'failed', text: [...(step === null ? [] : [step.title]), ...waited, ...told].join('\n') } }],
  };
}
