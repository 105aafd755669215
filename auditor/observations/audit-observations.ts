import { canonicalJson } from '../../evidence/canonical-json.ts';
import { conclude, type Conclusions } from '../../evidence/conclusions.ts';
import { logFaults } from '../../evidence/log-rules.ts';
import { parseObservations, type ReadObservations } from '../../evidence/read-observations.ts';
import { unexpectedVerdicts } from '../../evidence/unexpected-verdicts.ts';
import type { UnmetRule, Verdict } from '../../evidence/verdict.ts';
import { finding, type Finding } from '../findings.ts';
import { differences } from './differences.ts';

/** Derives the report anew from the observations, and says where it is not the one that was handed in. */
export function auditObservations(log: string, report: unknown): Finding[] {
  return auditParsed(parseObservations(log), report);
}

/** The same of a log that was parsed already. */
export function auditParsed({ observations, faults }: ReadObservations, report: unknown): Finding[] {
  const broken = [...faults.map(({ line, message }) => `observations, line ${line}: ${message}`), ...logFaults(observations).map(describeUnmet)];
  const derivation = conclude(observations);
  return [
    ...broken.map((detail) => finding('BUNDLE_INTEGRITY', detail)),
    ...differenceFindings(derivation, report),
    ...verdictFindings(derivation, observations),
  ];
}

function differenceFindings({ report: derived, gates }: Conclusions, report: unknown): Finding[] {
  if (canonicalJson(derived) === canonicalJson(report)) return [];
  return differences(report, derived).map(({ path, left, right }) => {
    const gate = /^gates\.(\w+)$/.exec(path)?.[1];
    const why = gate !== undefined && gate in gates ? `; ${describeVerdict(gates[gate as keyof typeof gates])}` : '';
    return finding('DERIVATION', `${path === '' ? '$' : path}: the report says ${left}, the observations say ${right}${why}`);
  });
}

function verdictFindings(derivation: Conclusions, observations: Parameters<typeof conclude>[0]): Finding[] {
  const { gates, probes } = unexpectedVerdicts(derivation, observations);
  return [
    ...gates.flatMap(([name, gate]) => gate.unmet.map((unmet) => finding('DERIVATION', `gate ${name}: ${describeUnmet(unmet)}`))),
    ...probes.flatMap(([id, probe]) => probe.unmet.map((unmet) => finding('PROBES', `probe ${id}: ${describeUnmet(unmet)}`))),
  ];
}

function describeVerdict({ holds, because, unmet }: Verdict): string {
  return holds ? `it follows from observations ${shorten(because)}` : unmet.map(describeUnmet).join('; ');
}

function describeUnmet({ rule, because }: UnmetRule): string {
  return `not observed that ${rule} (${because.length === 0 ? 'no observations' : `observations ${shorten(because)}`})`;
}

function shorten(numbers: readonly number[]): string {
  return numbers.length <= 12 ? numbers.join(', ') : `${numbers.slice(0, 12).join(', ')} and ${numbers.length - 12} more`;
}
