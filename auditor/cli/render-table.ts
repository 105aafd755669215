import type { Audit } from '../audit-report.ts';

/** The verdict for people. */
export function renderTable({ fixture, findings, compatible }: Audit): string {
  const width = Math.max(0, ...findings.map(({ code }) => code.length));
  const rows = findings.map(({ code, detail }) => `${code.padEnd(width)}  ${detail}`);
  const verdict = compatible ? 'compatible' : `not compatible: ${findings.length} finding${findings.length === 1 ? '' : 's'}`;
  return [...rows, `${fixture ?? 'unknown fixture'}: ${verdict}`, ''].join('\n');
}
