/** `node auditor/explain/testing/recorded.ts` draws the recorded rehearsal anew for the README. */
import { readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { BUNDLE_LAYOUT } from '../../../evidence/bundle-layout.ts';
import type { FailureIndex } from '../../../evidence/failure-index.ts';
import { parseObservations } from '../../../evidence/read-observations.ts';
import { readTar } from '../../bundle/read-tar.ts';
import { explainSource, type Explained } from '../explain.ts';
import { renderPicture } from '../files.ts';
import { ofBundle } from '../source.ts';

const ROOT = new URL('../../../', import.meta.url);
/** Later than everything that was recorded. */
const NOW = new Date('2027-01-01T00:00:00.000Z');
export const README_PICTURE = new URL('docs/timeline.svg', ROOT);

export function recordedTar(): Buffer {
  return gunzipSync(readFileSync(new URL('evidence/fixtures/bundle-v1-rehearsal.tar.gz', ROOT)));
}

/** The rehearsal that is kept as evidence of its format version. */
export function recorded(): Explained {
  return explainSource(ofBundle(readTar(recordedTar()), NOW), 3);
}

/** What it would have left, had it failed in its last steps. */
export function brokenOff(): Explained {
  const text = Buffer.from(readTar(recordedTar()).files.get(BUNDLE_LAYOUT.observations.path) ?? []).toString();
  const lines = text.split('\n');
  const observations = parseObservations(`${lines.slice(0, lines.findIndex((line) => line.includes('"table":"worker_credential_management_plans"'))).join('\n')}\n`).observations;
  const failure: FailureIndex = {
    schemaVersion: 1, kind: 'qinglong/worker-kubernetes-rollout-failure', runId: 'a5040487-f8f5-4699-b3e4-6db7e70ec66c', substrate: 'embedded', source: null, failedAt: '2026-11-29T22:01:58.450Z', elapsedMs: 53_789, interruptedBy: null, exitCode: 1,
    step: { id: 'evidence', title: 'the witnesses are heard', startedMs: 53_000 }, expectation: { expected: 'x'.repeat(500), sinceMs: 53_100, waitedMs: 60_000, deadlineMs: null, lastSeen: { text: 'y'.repeat(500), atMs: 53_500 }, by: null },
    alsoWaiting: [], lines: { of: 'Pod executor', file: null, lines: ['z'.repeat(1_000), 'words '.repeat(300)] }, causes: [{ code: 'QL3_WAIT_TIMEOUT', message: 'it did not complete' }], files: [], missing: [],
  };
  return explainSource({ kind: 'failure', report: null, fixture: null, claims: {}, observations, isWhole: false, findings: [], failure, error: null }, 3);
}

if (import.meta.main) writeFileSync(README_PICTURE, renderPicture(recorded()));
