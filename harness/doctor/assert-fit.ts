import { HarnessError } from '../run/errors.ts';
import type { Check } from './check.ts';
import { examine, type CheckResult, type ExamineOptions } from './examine.ts';

/** What failed, a paragraph each: what was expected, what was found, what to do. */
export function describeFailures(failures: readonly CheckResult[]): string {
  return failures.flatMap(({ name, found, expected, cure }) => [`${name}: expected ${expected}`, row('found', found), ...(cure === null ? [] : [row('to do', cure)])]).join('\n');
}

function row(title: string, text: string): string {
  return `  ${title}  ${text.replaceAll('\n', `\n${' '.repeat(title.length + 4)}`)}`;
}

export async function failuresAmong(checks: readonly Check[], options: ExamineOptions): Promise<readonly CheckResult[]> {
  return (await examine(checks, options)).filter(({ state }) => state === 'failed');
}

/** For a run, before it starts anything: all that keeps it from running is told at once. */
export async function assertFit(checks: readonly Check[], options: ExamineOptions): Promise<void> {
  const failures = await failuresAmong(checks, options);
  if (failures.length > 0) throw new HarnessError('QL3_ENVIRONMENT', `this machine cannot run it:\n${describeFailures(failures)}\n\`doctor\` looks at everything`);
}
