import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { BUNDLE_LAYOUT, MANIFEST_PATH, MOST_BUNDLE_BYTES } from '../../evidence/bundle-layout.ts';
import { FAILURE_INDEX_FILE, FAILURE_INDEX_LIMIT_BYTES, failureIndex, type FailureIndex } from '../../evidence/failure-index.ts';
import { logFaults } from '../../evidence/log-rules.ts';
import type { Observation } from '../../evidence/observation.ts';
import { RELEASE_FIXTURE } from '../../evidence/pins.ts';
import { parseObservations } from '../../evidence/read-observations.ts';
import type { Report } from '../../evidence/report.ts';
import { faultsOf, isObject } from '../../evidence/shape.ts';
import { parseStrictJson } from '../../evidence/strict-json.ts';
import { auditReport } from '../audit-report.ts';
import { auditBundle } from '../bundle/audit-bundle.ts';
import type { BundleInput } from '../bundle/bundle-input.ts';
import { readFolder } from '../bundle/read-folder.ts';
import { readTar } from '../bundle/read-tar.ts';
import { finding, type Finding } from '../findings.ts';
import { InputError, readPrivateBytes, readPrivateText } from '../input/read-file.ts';
import { LOG_NAME, readObservationLog } from '../observations/read-observation-log.ts';
import { fixtureOf, readShape } from '../questions/shape.ts';

/** What there is to explain: a report alone, a report with what it came from, or what a failed run has left. */
export interface Source {
  readonly kind: 'report' | 'bundle' | 'failure';
  /** Null when there is none, or none that has the shape of one. */
  readonly report: Report | null;
  /** What it calls itself, whatever else is wrong with it. */
  readonly fixture: string | null;
  /** What a report says of its gates, as far as it says true or false. */
  readonly claims: Readonly<Record<string, boolean>>;
  /** Null of a report alone, and of a failure whose observation log is missing. */
  readonly observations: readonly Observation[] | null;
  /** Whether everything that was observed is there: else a gate that does not hold may be one that cannot be judged. */
  readonly isWhole: boolean;
  /** What the auditor finds wrong with it; of a failure what could not be read. */
  readonly findings: readonly Finding[];
  readonly failure: FailureIndex | null;
  /** Of a failure without an index, its error in words. */
  readonly error: string | null;
}

/** Reads an absolute path under the auditor's rules: regular, no link, writable by its owner alone. */
export function readSource(path: string, now: Date): Source {
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true) {
    return exists(join(path, MANIFEST_PATH)) ? ofBundle(readFolder(path), now) : ofFailure(path);
  }
  const bytes = readPrivateBytes(path, { leastBytes: 2, mostBytes: MOST_BUNDLE_BYTES });
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) throw new InputError('INPUT_SYNTAX', `${path}: expected a report, a bundle or a folder, got something that is compressed; unpack it with gunzip first`);
  if (bytes[0] === 0x7b) return ofReport(path, bytes.toString(), now);
  const input = readTar(bytes);
  // an archive that is damaged at its very beginning still is one
  if (input.files.size === 0 && !isArchive(bytes)) throw notEvidence(path, 'a file that is none of them');
  return ofBundle(input, now);
}

function isArchive(bytes: Buffer): boolean {
  return bytes.subarray(257, 262).toString('latin1') === 'ustar';
}

function notEvidence(path: string, got: string): InputError {
  return new InputError('INPUT_NOT_EVIDENCE', `${path}: expected a report (JSON), a bundle (the .tar of a run, or its folder with ${MANIFEST_PATH}) or the folder of a failed run (${FAILURE_INDEX_FILE}, ${LOG_NAME}), got ${got}`);
}

function ofReport(path: string, text: string, now: Date): Source {
  const parsed = parseStrictJson(text);
  if (!parsed.ok) throw new InputError('INPUT_SYNTAX', `${path}: expected a report; ${parsed.message}`);
  if (fixtureOf(parsed.value) === null) throw notEvidence(path, 'JSON whose `fixture` is that of no report');
  return { kind: 'report', ...judge(parsed.value, now), observations: null, isWhole: true, failure: null, error: null };
}

function judge(value: unknown, now: Date): Pick<Source, 'report' | 'fixture' | 'claims' | 'findings'> {
  const fixture = fixtureOf(value);
  const profile = fixture === RELEASE_FIXTURE ? 'release' : 'rehearsal';
  const gates = isObject(value) && isObject(value['gates']) ? value['gates'] : {};
  const claims = Object.fromEntries(Object.entries(gates).filter((entry): entry is [string, boolean] => typeof entry[1] === 'boolean'));
  return { fixture, claims, report: readShape(value, profile).report, findings: auditReport(value, { profile, now, sourceCommittedAt: null }).findings };
}

/** A bundle that was read already. */
export function ofBundle(input: BundleInput, now: Date): Source {
  const textOf = (path: string): string => Buffer.from(input.files.get(path) ?? []).toString();
  const text = textOf(BUNDLE_LAYOUT.report.path);
  const parsed = parseStrictJson(text);
  const value: unknown = parsed.ok ? parsed.value : null;
  const judged = judge(value, now);
  const log = parseObservations(textOf(BUNDLE_LAYOUT.observations.path));
  const isWhole = log.observations.length > 0 && log.faults.length === 0 && logFaults(log.observations).length === 0;
  return { kind: 'bundle', ...judged, observations: log.observations, isWhole, findings: [...judged.findings, ...auditBundle(input, { text, value }, null)], failure: null, error: null };
}

function ofFailure(path: string): Source {
  const [hasIndex, hasLog] = [exists(join(path, FAILURE_INDEX_FILE)), exists(join(path, LOG_NAME))];
  if (!hasIndex && !hasLog && !exists(join(path, 'error.txt'))) {
    throw notEvidence(path, 'a folder without any of these files');
  }
  const log = hasLog ? parseObservations(readObservationLog(path)) : { observations: null, faults: [] };
  const index = hasIndex ? parseStrictJson(readPrivateText(join(path, FAILURE_INDEX_FILE), { leastBytes: 2, mostBytes: FAILURE_INDEX_LIMIT_BYTES })) : null;
  const wrong = index === null ? [] : index.ok ? faultsOf(failureIndex, index.value).map(({ path: at, expected, got }) => `${at.slice(0, 200)}: expected ${expected}, got ${got}`) : [index.message];
  const failure = index?.ok === true && wrong.length === 0 ? (index.value as FailureIndex) : null;
  const error = failure === null && exists(join(path, 'error.txt')) ? readPrivateText(join(path, 'error.txt'), { leastBytes: 0, mostBytes: FAILURE_INDEX_LIMIT_BYTES }) : null;
  return {
    kind: 'failure',
    report: null,
    fixture: null,
    claims: {},
    observations: log.observations,
    isWhole: false,
    findings: [...wrong.slice(0, 5).map((detail) => finding('BUNDLE_INTEGRITY', `${FAILURE_INDEX_FILE}: ${detail}`)), ...log.faults.slice(0, 5).map(({ line, message }) => finding('BUNDLE_INTEGRITY', `${LOG_NAME}, line ${line}: ${message}`))],
    failure,
    error,
  };
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
