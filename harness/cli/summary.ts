import type { Derivation } from '../../evidence/derive.ts';
import { RELEASE_FIXTURE } from '../../evidence/pins.ts';
import { UNPROVABLE_ON_EMBEDDED } from '../../evidence/probes/all-probes.ts';
import type { Verdict } from '../../evidence/verdict.ts';
import type { SpanRecorder } from '../run/spans.ts';
import { wrap } from './wrap.ts';

/** Lets a line stand out by more than its words, where the screen can and the reader lets it. */
export type Emphasis = (text: string, how: 'good' | 'bad') => string;
const PLAIN: Emphasis = (text) => text;

/** A line for each gate and each probe: whether it holds, and the observations of the log that it rests on. */
export function describeGates(derivation: Derivation): string {
  const { gates, probes } = derivation;
  const unproven = unprovenOf(derivation);
  const lines = (verdicts: Readonly<Record<string, Verdict>>): string[] =>
    Object.entries(verdicts).map(([name, { holds, because }]) => line(name, unproven.has(name) ? 'unproven here' : holds ? 'holds' : 'DOES NOT HOLD', because));
  return ['', 'gates', ...lines(gates), 'probes', ...lines(probes)].join('\n');
}

/** What it came to. It comes last, so that it stands on the screen when the run has ended, however many lines were told before. */
export function describeVerdict(derivation: Derivation, { columns = null, emphasis = PLAIN }: { readonly columns?: number | null; readonly emphasis?: Emphasis } = {}): string {
  const { report, gates, probes, problems } = derivation;
  const [unproven, held] = [unprovenOf(derivation), problems.length === 0];
  const verdict = emphasis(`${held ? 'HELD' : 'NOT HELD'}: ${countHeld(gates, unproven)} gates, ${countHeld(probes, unproven)} probes`, held ? 'good' : 'bad');
  const missing = unproven.size === 0 ? [] : [`what this platform cannot prove, and the report does not claim: ${[...unproven].join(', ')}`];
  const rest = [...missing, ...standing(report.fixture)];
  return ['', verdict, ...(columns === null ? rest : rest.flatMap((text) => wrap(text, columns)))].join('\n');
}

function unprovenOf({ report }: Derivation): ReadonlySet<string> {
  const unproven = new Set<string>('unproven' in report ? (report.unproven as readonly string[]) : []);
  if (report.kubernetes.distribution === 'embedded') for (const probe of UNPROVABLE_ON_EMBEDDED) unproven.add(probe);
  return unproven;
}

/** A rehearsal that held looks much like a release. */
function standing(fixture: string | null): string[] {
  return fixture === RELEASE_FIXTURE ? [] : ['This was a rehearsal: its report is no release evidence.'];
}

function countHeld(verdicts: Readonly<Record<string, Verdict>>, unproven: ReadonlySet<string>): string {
  const all = Object.entries(verdicts);
  return `${all.filter(([name, { holds }]) => holds && !unproven.has(name)).length} of ${all.length}`;
}

function line(name: string, state: string, because: readonly number[]): string {
  const shown = because.slice(0, 6).join(', ');
  return `  ${name.padEnd(48)} ${state.padEnd(14)} ${because.length === 0 ? '' : `observations ${shown}${because.length > 6 ? ` and ${because.length - 6} more` : ''}`}`.trimEnd();
}

/** Where the time went, longest first; spans overlap, so their sum is more than the whole. Idle is what no span covers: the run neither worked nor waited. */
export function describeSpans(spans: SpanRecorder): string {
  const rows = spans.all.toSorted((a, b) => b.endMs - b.startMs - (a.endMs - a.startMs)).slice(0, 15);
  const lines = rows.map((span) => `  ${span.name.padEnd(48)} ${((span.endMs - span.startMs) / 1000).toFixed(2).padStart(7)} s`);
  const share = (100 * spans.unaccountedMs) / spans.elapsedMs;
  return ['', `time: ${(spans.elapsedMs / 1000).toFixed(1)} s, idle (neither worked nor waited) ${(spans.unaccountedMs / 1000).toFixed(2)} s (${share.toFixed(1)} %); the longest parts, some of which go on side by side:`, ...lines].join('\n');
}
