import type { Derivation } from '../../evidence/derive.ts';
import { UNPROVABLE_ON_EMBEDDED } from '../../evidence/probes/all-probes.ts';
import type { Verdict } from '../../evidence/verdict.ts';
import type { JudgedCase, JudgedSuite } from './junit-xml.ts';

const SHOWN = 12;

/** A testcase for each gate and probe; what the platform cannot prove is skipped. `passed` only repeats the others. */
export function suiteOf(derivation: Derivation, { seconds, properties }: { readonly seconds: number; readonly properties: Readonly<Record<string, string>> }): JudgedSuite {
  const { report, gates, probes, problems } = derivation;
  const isEmbedded = report.kubernetes.distribution === 'embedded';
  const unproven = 'unproven' in report ? (report.unproven as readonly string[]) : [];
  const cases = [
    ...Object.entries(gates).filter(([name]) => name !== 'passed').map(([name, verdict]) => toCase('gates', name, verdict, unproven.includes(name))),
    ...Object.entries(probes).map(([name, verdict]) => toCase('probes', name, verdict, isEmbedded && (UNPROVABLE_ON_EMBEDDED as readonly string[]).includes(name))),
    ...restCase(problems),
  ];
  return { name: report.fixture ?? 'unknown fixture', timestamp: (report.observedAt ?? new Date(0).toISOString()).replace(/\.\d+Z$/, ''), seconds, properties, cases };
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
  return [{ className: 'report', name: 'observation log and values', outcome }];
}

function observations(seqs: readonly number[]): string {
  if (seqs.length === 0) return 'no observations';
  return `observations ${seqs.slice(0, SHOWN).join(', ')}${seqs.length > SHOWN ? ` and ${seqs.length - SHOWN} more` : ''}`;
}
