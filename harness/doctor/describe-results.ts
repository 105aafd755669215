import type { SubstrateKind } from '../substrate/substrate.ts';
import type { CheckState } from './check.ts';
import { canRun, concerns, type CheckResult } from './examine.ts';

const WORDS: Readonly<Record<CheckState, string>> = { failed: 'FAILED', warning: 'warning', unknown: 'unknown', unfinished: 'no end', ok: 'ok', skipped: 'skipped' };

/** For people: what stands in the way with its cure, then everything that was looked at, then whether it can run. */
export function describeResults(results: readonly CheckResult[], substrates: readonly SubstrateKind[]): string {
  const troubles = results.filter(({ state }) => state !== 'ok' && state !== 'skipped');
  const width = Math.max(...results.map(({ name }) => name.length));
  return [
    ...inOrder(results).map(({ name, state, substrate, found }) => `${WORDS[state].padEnd(8)} ${name.padEnd(width)}  ${substrate.padEnd(8)}  ${indent(found, width + 21)}`),
    ...troubles.flatMap(describeTrouble),
    '',
    ...substrates.map((substrate) => describeVerdict(substrate, results)),
  ].join('\n');
}

/** What stands in the way first. */
function inOrder(results: readonly CheckResult[]): readonly CheckResult[] {
  const order: readonly CheckState[] = ['failed', 'unfinished', 'warning', 'unknown', 'ok', 'skipped'];
  return results.toSorted((left, right) => order.indexOf(left.state) - order.indexOf(right.state));
}

function describeTrouble({ name, state, substrate, found, expected, cure, reason }: CheckResult): string[] {
  const place = substrate === 'both' ? 'every substrate' : substrate;
  return [
    '',
    `${WORDS[state]}: ${name} (${place})`,
    `  why       ${reason}`,
    `  expected  ${indent(expected, 12)}`,
    `  found     ${indent(found, 12)}`,
    ...(cure === null ? [] : [`  to do     ${indent(cure, 12)}`]),
  ];
}

function describeVerdict(substrate: SubstrateKind, results: readonly CheckResult[]): string {
  const names = (state: CheckState): string => results.filter((result) => result.state === state && concerns(result.substrate, [substrate])).map(({ name }) => name).join(', ');
  const verdict = canRun(substrate, results);
  if (verdict === null) return `${substrate}: not known, since these came to no end: ${names('unfinished')}`;
  return `${substrate}: ${verdict ? 'can run' : `cannot run, because of ${names('failed')}`}`;
}

function indent(text: string, columns: number): string {
  return text.replaceAll('\n', `\n${' '.repeat(columns)}`);
}
