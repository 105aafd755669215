import type { Derivation } from '../../evidence/derive.ts';
import { GATE_NAMES, UNPROVEN_ON_EMBEDDED } from '../../evidence/gate-names.ts';
import { PROBE_IDS } from '../../evidence/observation.ts';
import { UNPROVABLE_ON_EMBEDDED } from '../../evidence/probes/all-probes.ts';
import type { Verdict } from '../../evidence/verdict.ts';
import type { JudgedCase, JudgedSuite } from './junit-xml.ts';

const SHOWN = 12;
const REST = 'observation log and values';

/** A testcase for each gate and probe; what the platform cannot prove is skipped. */
export function suiteOf(derivation: Derivation, { seconds, properties }: { readonly seconds: number; readonly properties: Readonly<Record<string, string>> }): JudgedSuite {
  const { report, gates, probes, problems } = derivation;
  const isEmbedded = report.kubernetes.distribution === 'embedded';
  const unproven = 'unproven' in report ? (report.unproven as readonly string[]) : [];
  const cases = [
    ...Object.entries(gates).map(([name, verdict]) => toCase('gates', name, verdict, unproven.includes(name))),
    ...Object.entries(probes).map(([name, verdict]) => toCase('probes', name, verdict, isEmbedded && (UNPROVABLE_ON_EMBEDDED as readonly string[]).includes(name))),
    ...restCase(problems),
  ];
  return { name: report.fixture ?? 'unknown fixture', timestamp: (report.observedAt ?? new Date(0).toISOString()).replace(/\.\d+Z$/, ''), seconds, properties, cases };
}

/** The same testcases of a run that ended before any of it could be judged: whoever compares two test reports misses none. */
export function unjudgedSuite({ name, timestamp, seconds, properties }: Omit<JudgedSuite, 'cases'>, { isEmbedded }: { readonly isEmbedded: boolean }): JudgedSuite {
  const unprovable: ReadonlySet<string> = new Set(isEmbedded ? [...UNPROVEN_ON_EMBEDDED, ...UNPROVABLE_ON_EMBEDDED] : []);
  const toSkipped = (className: string) => (id: string): JudgedCase => ({ className, name: id, outcome: { is: 'skipped', reason: unprovable.has(id) ? 'not provable on this platform' : 'not known when the run ended' } });
  return { name, timestamp, seconds, properties, cases: [...GATE_NAMES.map(toSkipped('gates')), ...PROBE_IDS.map(toSkipped('probes')), toSkipped('report')(REST)] };
}

function toCase(className: string, name: string, { holds, unmet, because }: Verdict, isUnproven: boolean): JudgedCase {
  if (isUnproven) return { className, name, outcome: { is: 'skipped', reason: 'this platform cannot prove it; the report does not claim it' } };
  if (holds) return { className, name, outcome: { is: 'passed' } };
  const rules = unmet.map(({ rule, because: seqs }) => `not observed that ${rule} (${observations(seqs)})`);
  return { className, name, outcome: { is: 'failed', message: rules[0] ?? 'not observed', text: [...rules, `judged from ${observations(because)}`].join('\n') } };
}

/** Faults of the log and values that the contract fixes belong to no gate. */
function restCase(problems: readonly string[]): JudgedCase[] {
  const rest = problems.filter((problem) => !/^(gate|probe) /.test(problem));
  const outcome: JudgedCase['outcome'] = rest.length === 0 ? { is: 'passed' } : { is: 'failed', message: rest[0] ?? '', text: rest.join('\n') };
  return [{ className: 'report', name: REST, outcome }];
}

function observations(seqs: readonly number[]): string {
  if (seqs.length === 0) return 'no observations';
  return `observations ${seqs.slice(0, SHOWN).join(', ')}${seqs.length > SHOWN ? ` and ${seqs.length - SHOWN} more` : ''}`;
}
