import { conclude, type Conclusions } from './conclusions.ts';
import { describeExpected, EXPECTED_VALUES, meets, type Expected } from './expected-values.ts';
import { logFaults } from './log-rules.ts';
import type { Observation } from './observation.ts';
import { REHEARSAL_FIXTURE } from './pins.ts';
import { SECTION_NAMES, type SectionName } from './report.ts';
import { unexpectedVerdicts } from './unexpected-verdicts.ts';
import type { Verdict } from './verdict.ts';

/** What follows from the observations of one run, and nothing but that; and whether the run may be called good. */
export interface Derivation extends Omit<Conclusions, 'sections'> {
  /** Why the run did not hold, one line each: faults of the log, gates and probes that its platform could prove, values that the contract fixes. Without any the report may be written. */
  readonly problems: readonly string[];
}

export function deriveReport(observations: readonly Observation[]): Derivation {
  const { report, sections, gates, probes } = conclude(observations);
  const unexpected = unexpectedVerdicts({ gates, probes }, observations);
  const problems = [
    ...logFaults(observations).map(({ rule, because }) => describeProblem('observation log', rule, because)),
    ...unexpected.gates.flatMap(([name, gate]) => unmetRules(`gate ${name}`, gate)),
    ...unexpected.probes.flatMap(([id, probe]) => unmetRules(`probe ${id}`, probe)),
    ...SECTION_NAMES.flatMap((name) => valueProblems(name, sections[name])),
    ...missingValues({ report, sections }),
  ];
  return { report, gates, probes, problems };
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
function missingValues({ report, sections }: Pick<Conclusions, 'report' | 'sections'>): string[] {
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
