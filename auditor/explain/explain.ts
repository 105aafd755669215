import { deriveReport, type Derivation } from '../../evidence/derive.ts';
import { ObservedRun } from '../../evidence/facts/observed-run.ts';
import { IN_NO_STEP, type FailureIndex } from '../../evidence/failure-index.ts';
import { GATE_NAMES, type GateName } from '../../evidence/gate-names.ts';
import { GATE_MEANINGS } from '../../evidence/gates/meanings.ts';
import { PROBE_IDS, type Observation, type ProbeId } from '../../evidence/observation.ts';
import { RELEASE_FIXTURE } from '../../evidence/pins.ts';
import { UNPROVABLE_ON_EMBEDDED } from '../../evidence/probes/all-probes.ts';
import { PROBE_MEANINGS } from '../../evidence/probes/meanings.ts';
import { profileOf } from '../../evidence/profile.ts';
import type { Verdict } from '../../evidence/verdict.ts';
import type { Explanation, State, ToldVerdict } from './explanation.ts';
import { readSource, type Source } from './source.ts';
import { tellRules, witnessesOf } from './told-rules.ts';
import { RunClock } from './timeline/clock.ts';
import type { Timeline } from './timeline/mark.ts';
import { timelineOf } from './timeline/timeline-of.ts';

export interface Explained {
  readonly explanation: Explanation;
  /** Null of a report alone: it holds no times. */
  readonly timeline: Timeline | null;
}

/** Explains what lies at an absolute path. `now` is only asked whether the report claims to be of the future. */
export function explain(path: string, { now, most }: { readonly now: Date; /** Observations that are told for each rule. */ readonly most: number }): Explained {
  return explainSource(readSource(path, now), most);
}

export function explainSource(source: Source, most: number): Explained {
  const { observations } = source;
  return observations === null ? { explanation: ofReportAlone(source), timeline: null } : ofObservations(source, observations, most);
}

function ofReportAlone(source: Source): Explanation {
  const { report, claims } = source;
  const unproven: readonly string[] = report !== null && 'unproven' in report ? report.unproven : [];
  const stateOf = (name: GateName): State => (claims[name] === undefined ? 'unjudged' : claims[name] ? 'holds' : unproven.includes(name) ? 'unproven' : 'fails');
  const gates = GATE_NAMES.map((name): ToldVerdict => tell('gate', name, stateOf(name)));
  return { ...commonOf(source, gates, source.kind === 'failure' ? 'not known: the observation log is missing' : 'as the report says of itself; with its bundle it could be derived from what was seen'), gates, probes: [], steps: [] };
}

function ofObservations(source: Source, observations: readonly Observation[], most: number): Explained {
  const derivation = deriveReport(observations);
  const clock = new RunClock(observations);
  const missed = source.kind === 'failure' ? 'open' : source.isWhole ? 'fails' : 'unjudged';
  const probeStates = Object.fromEntries(PROBE_IDS.map((id) => [id, stateOfProbe(id, derivation, observations, missed)])) as Record<ProbeId, State>;
  const gates = GATE_NAMES.map((name) => tellWith('gate', name, derivation.gates[name], stateOfGate(name, derivation, observations, missed), observations, clock, most));
  const probes = PROBE_IDS.map((id) => tellWith('probe', id, derivation.probes[id], probeStates[id], observations, clock, most));
  const steps = clock.steps.map(({ step, title, sentence, fromMs, toMs }) => ({ step, title, sentence, fromMs, toMs: Number.isFinite(toMs) ? toMs : clock.endMs }));
  const standing = { fails: 'derived anew from the observations in the bundle', unjudged: 'derived anew from what can still be read of the observations in the bundle, which is not all of them', open: 'derived from what was observed until the run ended' }[missed];
  return { explanation: { ...commonOf(source, gates, standing), gates, probes, steps }, timeline: drawn(timelineOf(observations, probeStates)) };
}

/** A run that ended before anything was seen has no picture. */
function drawn(timeline: Timeline): Timeline | null {
  return timeline.lanes.length === 0 ? null : timeline;
}

function stateOfGate(name: GateName, { gates }: Derivation, observations: readonly Observation[], missed: State): State {
  const run = new ObservedRun(observations);
  // who had not begun has not said what it runs on
  if (run.last('run.started') !== null && profileOf(run).unproven.includes(name)) return 'unproven';
  return gates[name].holds ? 'holds' : missed;
}

function stateOfProbe(id: ProbeId, { probes }: Derivation, observations: readonly Observation[], missed: State): State {
  const isEmbedded = new ObservedRun(observations).last('run.started')?.body.substrate === 'embedded';
  if (isEmbedded && UNPROVABLE_ON_EMBEDDED.includes(id)) return 'unproven';
  return probes[id].holds ? 'holds' : missed;
}

function tell(kind: ToldVerdict['kind'], name: GateName | ProbeId, state: State): ToldVerdict {
  const { title, proves, doesNotProve } = kind === 'gate' ? GATE_MEANINGS[name as GateName] : PROBE_MEANINGS[name as ProbeId];
  return { kind, name, number: kind === 'gate' ? GATE_NAMES.indexOf(name as GateName) + 1 : null, title, proves, doesNotProve, state, witnesses: [], observationCount: 0, rules: [] };
}

function tellWith(kind: ToldVerdict['kind'], name: GateName | ProbeId, verdict: Verdict, state: State, observations: readonly Observation[], clock: RunClock, most: number): ToldVerdict {
  return { ...tell(kind, name, state), witnesses: witnessesOf(verdict, observations), observationCount: new Set(verdict.because).size, rules: tellRules(verdict, observations, clock, most) };
}

function commonOf({ kind, report, fixture, findings, failure, error, observations }: Source, gates: readonly ToldVerdict[], standing: string) {
  const started = observations === null ? undefined : new ObservedRun(observations).last('run.started')?.body;
  const failed = gates.filter(({ state }) => state === 'fails').length;
  return {
    schemaVersion: 1 as const,
    source: kind,
    headline: kind === 'failure' ? failureHeadline(failure) : headlineOf(fixture, kind, failed, findings.length),
    standing,
    fixture,
    sourceRevision: report?.sourceRevision ?? started?.sourceRevision ?? failure?.source?.revision ?? null,
    observedAt: report?.observedAt ?? failure?.failedAt ?? null,
    platform: report === null ? (started?.substrate ?? failure?.substrate ?? null) : `${report.kubernetes.distribution} ${report.kubernetes.serverVersion}, ${report.kubernetes.architecture}`,
    findings,
    limitations: report?.limitations ?? [],
    failure,
    error,
  };
}

function failureHeadline(failure: FailureIndex | null): string {
  if (failure === null) return 'A run that failed';
  const how = failure.interruptedBy === null ? 'failed' : `was interrupted (${failure.interruptedBy})`;
  return `A run that ${how} ${failure.step === null ? IN_NO_STEP : `in the step: ${failure.step.title}`}`;
}

function headlineOf(fixture: string | null, kind: Source['kind'], failed: number, found: number): string {
  const what = fixture === null ? 'A bundle without a report that can be read' : fixture === RELEASE_FIXTURE ? 'Release evidence' : 'A rehearsal';
  if (found > 0) return `${what}; the auditor does not accept it: ${found} finding${found === 1 ? '' : 's'}`;
  if (failed > 0) return `${what}: ${failed} gate${failed === 1 ? ' does' : 's do'} not hold`;
  if (kind === 'report') return `${what}, which says of itself that ${fixture === RELEASE_FIXTURE ? 'everything holds' : 'everything holds that its platform can prove'}`;
  return fixture === RELEASE_FIXTURE ? 'Release evidence: everything holds' : 'A rehearsal: everything holds that its platform can prove';
}
