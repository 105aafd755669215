import { deriveReport } from '../../../evidence/derive.ts';
import type { FailureIndex } from '../../../evidence/failure-index.ts';
import { completeRun } from '../../../evidence/testing/complete-run.ts';
import { drop, type Lie } from '../../../evidence/testing/lies.ts';
import { HarnessError } from '../errors.ts';
import type { RunEnd } from '../run.ts';
import { SpanRecorder } from '../spans.ts';

/** A run of the release platform that held. */
export function heldRun(platform: 'release' | 'embedded' = 'release'): Extract<RunEnd, { end: 'held' }> {
  return { end: 'held', derivation: deriveReport(completeRun({ platform, treeClean: true })), spans: new SpanRecorder(), releaseFailures: [] };
}

/** A failure while something was waited for, with all that an index can say. */
export const FAILURE: FailureIndex = {
  schemaVersion: 1,
  kind: 'qinglong/worker-kubernetes-rollout-failure',
  runId: '7b1f6c1e-8f1b-4a83-9a7e-1d2c3b4a5f60',
  substrate: 'embedded',
  source: { revision: 'a'.repeat(40), clean: true },
  failedAt: '2026-01-31T10:15:00.000Z',
  elapsedMs: 61_000,
  interruptedBy: null,
  exitCode: 1,
  step: { id: 'generation-2', title: 'generation 2 is rotated on the host, and replayed', startedMs: 12_000 },
  expectation: {
    expected: 'a new Pod of Deployment w to run',
    sinceMs: 13_000,
    waitedMs: 48_000,
    deadlineMs: 180_000,
    lastSeen: { text: 'Pod w-1 Pending; worker waits (ImagePullBackOff)', atMs: 60_000 },
    by: 'generation 2 is rotated on the host, and replayed',
  },
  alsoWaiting: [],
  lines: { of: 'container worker of Pod ns/w-1', file: 'ns.w-1.worker.log', lines: ['one', 'two', 'three'] },
  causes: [{ code: 'QL3_CONTRACT', message: 'expected Pod ns/w-1 to start, got ImagePullBackOff' }],
  files: [],
  missing: [],
};

export function failedRun(failure: FailureIndex = FAILURE, lie: Lie | null = drop('probe.result', ({ probe }) => probe === 'wrong-digest')): Extract<RunEnd, { end: 'failed' }> {
  return { end: 'failed', error: new HarnessError('QL3_CONTRACT', 'failed'), failure, failureDirectory: '/somewhere/report.json.failure-7b1f6c1e', derivation: lie === null ? null : deriveReport(lie(completeRun())), spans: new SpanRecorder(), releaseFailures: [] };
}
