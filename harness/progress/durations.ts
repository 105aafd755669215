import { closeSync, constants, fstatSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { STEP_IDS, type StepId } from '../../evidence/observation.ts';
import { finite, list, literal, object, record, faultsOf, type TypeOf } from '../../evidence/shape.ts';
import type { Span } from '../run/spans.ts';
import type { SubstrateKind } from '../substrate/substrate.ts';
import { stepIdOf } from './task-titles.ts';

/** Runs that count for an estimate, of each substrate: the latest. */
const KEPT_RUNS = 5;
const LIMIT_BYTES = 64 * 1024;
const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

const pastRun = object({ totalMs: finite, steps: record(object({ startMs: finite, endMs: finite })) });
const pastRuns = list(pastRun, { atMost: KEPT_RUNS });
const durations = object({ schemaVersion: literal(1), embedded: pastRuns, k3s: pastRuns });
type Durations = TypeOf<typeof durations>;

/** How long a run took that held, and when each of its steps began and ended: milliseconds since its start. */
export interface PastRun {
  readonly totalMs: number;
  readonly steps: Readonly<Partial<Record<StepId, { readonly startMs: number; readonly endMs: number }>>>;
}

const NONE: Durations = { schemaVersion: 1, embedded: [], k3s: [] };

/** In the checkout's own private folder, which Git ignores: nothing is written elsewhere. */
export const DURATIONS_FILE = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), '.work', 'durations.json');

/** What earlier runs took. A file that is not there, not this user's own, too large or damaged is as good as none. */
export function readDurations(substrate: SubstrateKind, file = DURATIONS_FILE): readonly PastRun[] {
  return read(file)[substrate];
}

/** Keeps how long this run took. Whoever cannot write there does without an estimate the next time. */
export function keepDurations(substrate: SubstrateKind, { totalMs, spans }: { readonly totalMs: number; readonly spans: readonly Span[] }, file = DURATIONS_FILE): void {
  const steps = Object.fromEntries(spans.flatMap((span) => (stepIdOf(span) === null ? [] : [[stepIdOf(span), { startMs: Math.round(span.startMs), endMs: Math.round(span.endMs) }]])));
  const known = read(file);
  const next = { ...known, [substrate]: [...known[substrate], { totalMs: Math.round(totalMs), steps }].slice(-KEPT_RUNS) };
  const draft = `${file}.${process.pid}`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(draft, `${JSON.stringify(next)}\n`, { mode: 0o600, flag: 'wx' });
    renameSync(draft, file);
  } catch {
    rmSync(draft, { force: true });
  }
}

function read(file: string): Durations {
  try {
    const descriptor = openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      const stats = fstatSync(descriptor);
      if (!stats.isFile() || stats.uid !== process.getuid?.() || stats.size > LIMIT_BYTES) return NONE;
      const value: unknown = JSON.parse(readFileSync(descriptor, 'utf8'));
      return faultsOf(durations, value).length === 0 && isPlausible(value as Durations) ? (value as Durations) : NONE;
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return NONE;
  }
}

function isPlausible({ embedded, k3s }: Durations): boolean {
  const names: readonly string[] = STEP_IDS;
  return [...embedded, ...k3s].every(({ totalMs, steps }) => totalMs > 0 && Object.entries(steps).every(([name, { startMs, endMs }]) => names.includes(name) && 0 <= startMs && startMs <= endMs && endMs <= totalMs));
}
