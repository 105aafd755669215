import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { readTar } from '../../../auditor/bundle/read-tar.ts';
import { BUNDLE_LAYOUT } from '../../../evidence/bundle-layout.ts';
import type { Observation } from '../../../evidence/observation.ts';
import { parseObservations } from '../../../evidence/read-observations.ts';

/** The latest rehearsal that was recorded for the tests, by path of its bundle. */
export function recordedFiles(): ReadonlyMap<string, Uint8Array> {
  return readTar(gunzipSync(readFileSync(new URL('../../../evidence/fixtures/bundle-v2-rehearsal.tar.gz', import.meta.url)))).files;
}

export function recordedObservations(): readonly Observation[] {
  return parseObservations(Buffer.from(recordedFiles().get(BUNDLE_LAYOUT.observations.path) ?? []).toString()).observations;
}
