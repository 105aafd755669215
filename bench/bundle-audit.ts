/**
 * How long the audit of a whole bundle takes, from once to 64 times the size of a small one: sums, parsing, deriving the report,
 * and all witnesses. Processor time, median. Linear growth shows as ratios near the one of the sizes.
 * `--bundle=PATH` adds a recorded bundle, with the report beside it.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { readBundle } from '../auditor/bundle/read-bundle.ts';
import { auditBundle } from '../auditor/bundle/audit-bundle.ts';
import type { BundleInput } from '../auditor/bundle/bundle-input.ts';
import { BUNDLE_LAYOUT, type BundleFiles } from '../evidence/bundle-layout.ts';
import { composeBundle } from '../evidence/compose-bundle.ts';
import type { Observation } from '../evidence/observation.ts';
import { contentsOf } from '../evidence/testing/bundle-story.ts';
import { completeRun } from '../evidence/testing/complete-run.ts';
import { renumber } from '../evidence/testing/story.ts';

const FACTORS = [1, 2, 4, 8, 16, 32, 64];
const ROUNDS = 5;
const TARGET_MS = 2000;

const { values } = parseArgs({ options: { bundle: { type: 'string' } } });
const once = completeRun({ platform: 'embedded', treeClean: true });
measure(composeBundle(contentsOf(once))); // the first one also compiles
const rows = FACTORS.map((factor) => {
  const files = composeBundle(contentsOf(grown(once, factor)));
  const bundleBytes = [...files.values()].reduce((sum, bytes) => sum + bytes.length, 0);
  return { factor, bundleBytes, auditMs: median(Array.from({ length: factor > 8 ? 2 : ROUNDS }, () => measure(files))) };
});
const [first] = rows;
for (const { factor, bundleBytes, auditMs } of rows) {
  console.log(JSON.stringify({ factor, bundleMebibytes: round(bundleBytes / 1_048_576), auditMs: round(auditMs), timesTheBytes: round(bundleBytes / (first?.bundleBytes ?? 1)), timesTheTime: round(auditMs / (first?.auditMs ?? 1)) }));
}
if (values.bundle !== undefined) {
  const path = values.bundle;
  const times = Array.from({ length: ROUNDS }, () => timeMs(() => judge(readBundle(path))));
  console.log(JSON.stringify({ bundle: 'recorded', archiveMebibytes: round(readFileSync(path).length / 1_048_576), auditMs: round(median(times)), targetMs: TARGET_MS }));
}

/** A run with this many times as many requests, states, lines and rows: the same again, by other names. */
function grown(run: readonly Observation[], factor: number): Observation[] {
  const again = Array.from({ length: factor - 1 }, (_, copy) => run.filter(({ kind }) => ['api.audit', 'api.watched', 'process.line', 'ingress.line'].includes(kind)).map((each) => renamed(each, copy + 1)));
  const [last] = run.slice(-1);
  return renumber([...run.slice(0, -1), ...again.flat().map((each) => ({ ...each, at: last?.at ?? each.at, offsetMs: last?.offsetMs ?? each.offsetMs })), ...run.slice(-1)]);
}

/** Other UIDs and other objects' names, so that a copy stands for itself. */
function renamed(observation: Observation, copy: number): Observation {
  const text = JSON.stringify(observation).replaceAll('00000000-0000-4000-8000-', `${copy.toString(16).padStart(8, '0')}-0000-4000-8000-`).replaceAll('ql3-worker-live', `ql3-worker-live-${copy}`);
  return JSON.parse(text) as Observation;
}

/** Past the auditor's own bound of size as well: it is the growth that is asked for. */
function measure(files: BundleFiles): number {
  return timeMs(() => judge({ files, faults: [] }));
}

function judge(input: BundleInput): void {
  const text = Buffer.from(input.files.get(BUNDLE_LAYOUT.report.path) ?? []).toString();
  auditBundle(input, { text, value: JSON.parse(text) as unknown }, null);
}

/** Processor time: what else the machine does meanwhile is none of the auditor's. */
function timeMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function median(all: readonly number[]): number {
  return all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? Number.NaN;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
