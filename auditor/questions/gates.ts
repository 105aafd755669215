import { GATE_NAMES, UNPROVEN_ON_EMBEDDED } from '../../evidence/gate-names.ts';
import type { Report } from '../../evidence/report.ts';
import type { Question } from './question.ts';

/** Do all gates hold but those that the platform cannot prove, and does the report own up to these? Of what is to be release evidence no platform excuses any. */
export const gates: Question = (report, { profile }) => {
  const unproven: readonly string[] = profile === 'release' ? [] : unprovenOf(report);
  const expected: readonly string[] = profile === 'rehearsal' && report.kubernetes.distribution === 'embedded' ? UNPROVEN_ON_EMBEDDED : [];
  return [
    ...GATE_NAMES.map((name) => (report.gates[name] === !unproven.includes(name) ? null : `gates.${name}: expected ${!unproven.includes(name)}, got ${report.gates[name]}`)),
    unproven.join() === expected.join() ? null : `unproven: expected ${JSON.stringify(expected)} on ${report.kubernetes.distribution}, got ${JSON.stringify(unproven)}`,
  ];
};

function unprovenOf(report: Report): readonly string[] {
  return 'unproven' in report ? report.unproven : [];
}
