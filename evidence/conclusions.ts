import { ObservedRun } from './facts/observed-run.ts';
import { GATES } from './gates/all-gates.ts';
import { passed } from './gates/passed.ts';
import { GATE_NAMES, type GateName } from './gate-names.ts';
import type { Observation, ProbeId } from './observation.ts';
import { REHEARSAL_FIXTURE } from './pins.ts';
import { PROBES } from './probes/all-probes.ts';
import { profileOf, type Profile } from './profile.ts';
import { SECTION_NAMES, type DraftReport, type DraftSection, type SectionName } from './report.ts';
import { SECTIONS } from './sections/all-sections.ts';
import type { Verdict } from './verdict.ts';

type Sections = { readonly [N in SectionName]: DraftSection<N> };

/** What follows from the observations of one run: all that an auditor holds a report to. */
export interface Conclusions {
  /** What nothing was observed of is null in it. */
  readonly report: DraftReport;
  readonly sections: Sections;
  readonly gates: Readonly<Record<GateName, Verdict>>;
  readonly probes: Readonly<Record<ProbeId, Verdict>>;
}

export function conclude(observations: readonly Observation[]): Conclusions {
  const run = new ObservedRun(observations);
  const profile = profileOf(run);
  const gates = judgeGates(run);
  const probes = judge(PROBES, run);
  const sections = Object.fromEntries(SECTION_NAMES.map((name) => [name, SECTIONS[name](run)])) as Sections;
  return { report: compose(run, profile, sections, gates), sections, gates, probes };
}

function judge<N extends string>(judges: Readonly<Record<N, (run: ObservedRun) => Verdict>>, run: ObservedRun): Readonly<Record<N, Verdict>> {
  return Object.fromEntries(Object.entries<(run: ObservedRun) => Verdict>(judges).map(([name, of]) => [name, of(run)])) as Record<N, Verdict>;
}

function judgeGates(run: ObservedRun): Readonly<Record<GateName, Verdict>> {
  const others = judge(GATES, run);
  return { ...others, passed: passed(others) };
}

/** A gate that the platform cannot prove is false in the report, whatever was observed. */
function compose(run: ObservedRun, profile: Profile, sections: Sections, gates: Readonly<Record<GateName, Verdict>>): DraftReport {
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
