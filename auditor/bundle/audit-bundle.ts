import type { KeyObject } from 'node:crypto';
import { BUNDLE_FORMAT, BUNDLE_LAYOUT, BUNDLE_PARTS, FORMAT_USED_UNTIL, MANIFEST_PATH, type BundleFormat, type BundlePart } from '../../evidence/bundle-layout.ts';
import { canonicalJson } from '../../evidence/canonical-json.ts';
import { instantMs } from '../../evidence/instants.ts';
import type { Observation } from '../../evidence/observation.ts';
import { RELEASE_FIXTURE } from '../../evidence/pins.ts';
import { parseObservations } from '../../evidence/read-observations.ts';
import { secretIn } from '../../evidence/secret-patterns.ts';
import { parseStrictJson } from '../../evidence/strict-json.ts';
import { findings, type Finding } from '../findings.ts';
import { auditParsed } from '../observations/audit-observations.ts';
import { attestationFaults } from './attestation.ts';
import type { BundleInput } from './bundle-input.ts';
import { auditManifest } from './manifest.ts';
import { auditEventFaults } from './witnesses/audit-events.ts';
import { containerLogFaults } from './witnesses/container-logs.ts';
import { finalObjectFaults } from './witnesses/final-objects.ts';
import { imageInputFaults } from './witnesses/image-inputs.ts';
import { platformLogFaults } from './witnesses/platform-logs.ts';
import { renderedManifestFaults } from './witnesses/rendered-manifests.ts';
import { runLogFaults } from './witnesses/run-log.ts';
import { versionFaults } from './witnesses/versions.ts';

/** Compares one part of the bundle with what the observation log says of the same thing; answers with what is wrong, one line each. */
export type WitnessQuestion = (text: string, observations: readonly Observation[]) => readonly string[];

const WITNESSES: { readonly [P in BundlePart]?: WitnessQuestion } = {
  auditEvents: auditEventFaults,
  containerLogs: containerLogFaults,
  finalObjects: finalObjectFaults,
  manifests: renderedManifestFaults,
  platformLogs: platformLogFaults,
  imageInputs: imageInputFaults,
  runLog: runLogFaults,
  versions: versionFaults,
};
const MOST_FAULTS_EACH = 20;
const LOG_VERSION_OF: Readonly<Record<BundleFormat, number>> = { 'qinglong/rollout-evidence-bundle@v1': 1, [BUNDLE_FORMAT]: 2 };

/** The report as it was handed in beside the bundle: its text, and its value when that is JSON without a second meaning. */
export interface GivenReport {
  readonly text: string;
  readonly value: unknown;
}

/** Sums, the report byte by byte, the derivation of the report, and every other witness against the observation log. Of what is not laid out as a bundle, that alone. */
export function auditBundle({ files, faults }: BundleInput, report: GivenReport, publicKey: KeyObject | null): Finding[] {
  if (faults.length > 0) return findings('BUNDLE_INTEGRITY', [...faults, 'the rest of the bundle was not looked at']);
  const manifest = auditManifest(files);
  const integrity = [...manifest.faults];
  const exposed: string[] = [];
  const texts = new Map<BundlePart, string>();
  for (const part of BUNDLE_PARTS) {
    const { path } = BUNDLE_LAYOUT[part];
    const bytes = files.get(path);
    const text = bytes === undefined ? null : decode(bytes);
    if (bytes !== undefined && text === null) integrity.push(`${path}: expected UTF-8`);
    if (text === null) continue;
    texts.set(part, text);
    const secret = secretIn(text);
    if (secret !== null) exposed.push(`${path}: holds ${secret}`);
  }
  const log = parseObservations(texts.get('observations') ?? '');
  const { observations } = log;
  integrity.push(...logVersionFaults(manifest.format, observations), ...formatFaults(manifest.format, observations, report.value));
  const differing = BUNDLE_PARTS.flatMap((part) => (texts.has(part) ? (WITNESSES[part]?.(texts.get(part) ?? '', observations) ?? []).slice(0, MOST_FAULTS_EACH) : []));
  return [
    ...findings('BUNDLE_INTEGRITY', [...otherRun(texts.get('report'), report), ...integrity, ...reportFaults(texts.get('report'), report), ...attestationFaults(files, report.value, observations, publicKey)]),
    ...findings('SECRET_EXPOSURE', exposed),
    ...auditParsed(log, report.value),
    ...findings('DERIVATION', differing),
  ];
}

/** The log of a bundle is of the bundle's time: an older one says less, and would be asked for less. */
function logVersionFaults(format: BundleFormat, observations: readonly Observation[]): string[] {
  const started = observations.find(({ kind }) => kind === 'run.started');
  const version = started?.kind === 'run.started' ? (started.body.logVersion ?? 1) : null;
  const expected = LOG_VERSION_OF[format];
  return version === null || version === expected ? [] : [`${BUNDLE_LAYOUT.observations.path}: expected log version ${expected} in a bundle of ${format}, got ${version}`];
}

/** An earlier format says less, and would be asked for less: only a run of its time may have it, and no release evidence. */
function formatFaults(format: BundleFormat, observations: readonly Observation[], report: unknown): string[] {
  const until = FORMAT_USED_UNTIL[format];
  if (until === undefined) return [];
  const faults: string[] = [];
  const last = observations.at(-1);
  if (last !== undefined && !(instantMs(last.at) < instantMs(until))) faults.push(`${MANIFEST_PATH}: expected ${BUNDLE_FORMAT} of a run after ${until}, got ${format}`);
  if (typeof report === 'object' && report !== null && 'fixture' in report && report.fixture === RELEASE_FIXTURE) faults.push(`${MANIFEST_PATH}: expected ${BUNDLE_FORMAT} of release evidence, got ${format}`);
  return faults;
}

/** Two reports name their runs by the tag of their images: where it is another, one sentence says why nothing fits. */
function otherRun(own: string | undefined, report: GivenReport): string[] {
  const [given, bundled] = [report.text, own ?? ''].map((text) => /"image":"[^"]*admin:([\w.-]{1,64})[@"]/.exec(text)?.[1]);
  if (given === undefined || bundled === undefined || given === bundled) return [];
  return [`this bundle is of another run: the report is of run ${given}, the bundle of run ${bundled}, by the tags of their images; give the bundle that was written with the report, and what follows here may be gone`];
}

function reportFaults(text: string | undefined, report: GivenReport): string[] {
  if (text === undefined) return [];
  const { path } = BUNDLE_LAYOUT.report;
  const canonical = canonicalJson(report.value);
  if (text === report.text) return text === `${canonical}\n` ? [] : [`${path}: expected canonical JSON (RFC 8785) and one line feed`];
  const own = parseStrictJson(text);
  return [`${path}: the report that was handed in differs from the bundle’s own ${own.ok && canonicalJson(own.value) === canonical ? 'in form alone: the same JSON in other bytes' : 'in content'}`];
}

function decode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
