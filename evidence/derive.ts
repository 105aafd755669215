import { describeExpected, EXPECTED_VALUES, meets, type Expected } from './expected-values.ts';
import { ObservedRun } from './facts/observed-run.ts';
import { GATES } from './gates/all-gates.ts';
import { passed } from './gates/passed.ts';
import { GATE_NAMES, type GateName } from './gate-names.ts';
import { logFaults } from './log-rules.ts';
import type { Observation, ProbeId } from './observation.ts';
import { REHEARSAL_FIXTURE } from './pins.ts';
import { PROBES } from './probes/all-probes.ts';
import { profileOf, type Profile } from './profile.ts';
import { SECTION_NAMES, type DraftReport, type DraftSection, type SectionName } from './report.ts';
import { SECTIONS } from './sections/all-sections.ts';
import { unexpectedVerdicts } from './unexpected-verdicts.ts';
import type { Verdict } from './verdict.ts';

/** What follows from the observations of one run, and nothing but that. */
export interface Derivation {
  /** To be written only when there are no problems: what nothing was observed of is null in it. */
  readonly report: DraftReport;
  readonly gates: Readonly<Record<GateName, Verdict>>;
  readonly probes: Readonly<Record<ProbeId, Verdict>>;
  /** Why the run did not hold, one line each: faults of the log, gates and probes that its platform could prove, values that the contract fixes. */
  readonly problems: readonly string[];
}

export function deriveReport(observations: readonly Observation[]): Derivation {
  const run = new ObservedRun(observations);
  const profile = profileOf(run);
  const gates = judgeGates(run);
  const probes = judge(PROBES, run);
  const sections = Object.fromEntries(SECTION_NAMES.map((name) => [name, SECTIONS[name](run)])) as { readonly [N in SectionName]: DraftSection<N> };
  const report = compose(run, profile, sections, gates);
  const unexpected = unexpectedVerdicts({ gates, probes }, observations);
  const problems = [
    ...logFaults(observations).map(({ rule, because }) => describeProblem('observation log', rule, because)),
    ...unexpected.gates.flatMap(([name, gate]) => unmetRules(`gate ${name}`, gate)),
    ...unexpected.probes.flatMap(([id, probe]) => unmetRules(`probe ${id}`, probe)),
    ...SECTION_NAMES.flatMap((name) => valueProblems(name, sections[name])),
    ...missingValues(report, sections),
  ];
  return { report, gates, probes, problems };
}

function judge<N extends string>(judges: Readonly<Record<N, (run: ObservedRun) => Verdict>>, run: ObservedRun): Readonly<Record<N, Verdict>> {
  return Object.fromEntries(Object.entries<(run: ObservedRun) => Verdict>(judges).map(([name, of]) => [name, of(run)])) as Record<N, Verdict>;
}

function judgeGates(run: ObservedRun): Readonly<Record<GateName, Verdict>> {
  const others = judge(GATES, run);
  return { ...others, passed: passed(others) };
}

/** A gate that the platform cannot prove is false in the report, whatever was observed. */
function compose(run: ObservedRun, profile: Profile, sections: { readonly [N in SectionName]: DraftSection<N> }, gates: Readonly<Record<GateName, Verdict>>): DraftReport {
  const started = run.last('run.started')?.body;
  const flags = Object.fromEntries(GATE_NAMES.map((name) => [name, gates[name].holds && !profile.unproven.includes(name)])) as Record<GateName, boolean>;
  const common = {
    schemaVersion: 1 as const,
    fixture: profile.fixture,
    observedAt: run.last('run.finished')?.at ?? null,
    sourceRevision: started?.sourceRevision ?? null,
    ...sections,
    gates: flags,
    limitations: [...profile.limitations],
  };
  return profile.fixture === REHEARSAL_FIXTURE ? { ...common, fixture: profile.fixture, unproven: [...profile.unproven] } : (common as DraftReport);
}

function unmetRules(name: string, verdict: Verdict): string[] {
  return verdict.unmet.map(({ rule, because }) => describeProblem(name, rule, because));
}

function describeProblem(name: string, rule: string, because: readonly number[]): string {
  const shown = because.slice(0, 12).join(', ') + (because.length > 12 ? ', …' : '');
  return `${name}: not observed that ${rule} (${because.length === 0 ? 'no observations' : `observations ${shown}`})`;
}

function valueProblems(name: SectionName, section: object): string[] {
  return Object.entries(EXPECTED_VALUES[name] as Readonly<Record<string, Expected>>).flatMap(([field, expected]) => {
    const value: unknown = (section as Readonly<Record<string, unknown>>)[field];
    return meets(value, expected) ? [] : [`${name}.${field}: expected ${describeExpected(expected)}, observed ${JSON.stringify(value)}`];
  });
}

/** Values that nothing was observed of. The platform's image names may be null in a rehearsal: there may be no image. */
function missingValues(report: DraftReport, sections: { readonly [N in SectionName]: DraftSection<N> }): string[] {
  const { kubernetes, postgresql, ...rest } = sections;
  const mayLack = report.fixture === REHEARSAL_FIXTURE ? ['image', 'imageDigest', 'imageId'] : [];
  const named = (section: object): object => Object.fromEntries(Object.entries(section).filter(([key]) => !mayLack.includes(key)));
  const whole = { observedAt: report.observedAt, sourceRevision: report.sourceRevision, kubernetes: named(kubernetes), postgresql: named(postgresql), ...rest };
  return nullPaths(whole, '').map((path) => `${path}: nothing was observed of it`);
}

function nullPaths(value: unknown, path: string): string[] {
  if (value === null) return [path];
  if (typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, item]) => nullPaths(item, path === '' ? key : `${path}.${key}`));
}
