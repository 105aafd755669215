import type { Derivation } from '../../evidence/derive.ts';
import { RELEASE_FIXTURE } from '../../evidence/pins.ts';
import { UNPROVABLE_ON_EMBEDDED } from '../../evidence/probes/all-probes.ts';
import type { Verdict } from '../../evidence/verdict.ts';
import type { SpanRecorder } from '../run/spans.ts';

/** A line for each gate and each probe: whether it holds, and the observations of the log that it rests on; and one line about all of them. */
export function describeGates(derivation: Derivation): string {
  const { report, gates, probes, problems } = derivation;
  const unproven = new Set<string>('unproven' in report ? (report.unproven as readonly string[]) : []);
  if (report.kubernetes.distribution === 'embedded') for (const probe of UNPROVABLE_ON_EMBEDDED) unproven.add(probe);
  const lines = (verdicts: Readonly<Record<string, Verdict>>): string[] =>
    Object.entries(verdicts).map(([name, { holds, because }]) => line(name, unproven.has(name) ? 'unproven here' : holds ? 'holds' : 'DOES NOT HOLD', because));
  return ['', 'gates', ...lines(gates), 'probes', ...lines(probes), '', conclusion(countHeld(gates, unproven), countHeld(probes, unproven), unproven, problems.length === 0), ...standing(report.fixture)].join('\n');
}

/** A rehearsal that held looks much like a release. */
function standing(fixture: string | null): string[] {
  return fixture === RELEASE_FIXTURE ? [] : ['This was a rehearsal: its report is no release evidence.'];
}

function countHeld(verdicts: Readonly<Record<string, Verdict>>, unproven: ReadonlySet<string>): string {
  const all = Object.entries(verdicts);
  return `${all.filter(([name, { holds }]) => holds && !unproven.has(name)).length} of ${all.length}`;
}

function conclusion(gates: string, probes: string, unproven: ReadonlySet<string>, held: boolean): string {
  const missing = unproven.size === 0 ? '' : `; what this platform cannot prove, and the report does not claim: ${[...unproven].join(', ')}`;
  return `${held ? 'held' : 'NOT HELD'}: ${gates} gates, ${probes} probes${missing}`;
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
