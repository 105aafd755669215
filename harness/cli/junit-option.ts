import { writeFileSync } from 'node:fs';
import { HarnessError } from '../run/errors.ts';
import type { JudgedSuite } from '../junit/junit-xml.ts';
import { assertUsableReportPath } from './report-path.ts';

export const JUNIT_OPTION = { value: 'PATH', completes: 'file', description: 'gates and probes as JUnit XML, one testcase each, besides one for the rest of the report (observation log and values) and one for the step (`run`) of a run that failed; same rules as for --report' } as const;

/** Refuses the path before anything is started. */
export function assertUsableJunitPath(path: string | undefined, others: readonly (string | undefined)[]): void {
  if (path === undefined) return;
  if (others.includes(path)) throw new HarnessError('QL3_USAGE', 'expected another path for --junit than for what else is written, got the same one twice');
  assertUsableReportPath(path);
}

/** A new private file. */
export async function writeJunit(path: string, suites: readonly JudgedSuite[]): Promise<void> {
  const { junitXml } = await import('../junit/junit-xml.ts');
  writeFileSync(path, junitXml(suites), { mode: 0o600, flag: 'wx' });
}
