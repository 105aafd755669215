import { execa } from 'execa';
import { HarnessError } from './errors.ts';

const AUDITOR = new URL('../../auditor/cli/main.ts', import.meta.url).pathname;

export type AuditProfile = 'release' | 'rehearsal';

export interface AuditRequest {
  readonly reportPath: string;
  readonly profile: AuditProfile;
  /** Further arguments: where the evidence of the report is. */
  readonly evidence: readonly string[];
  readonly signal: AbortSignal;
}

/** Lets the auditor, a process of its own, judge the report and what it was derived from, before anybody is given it. */
export async function auditReport({ reportPath, profile, evidence, signal }: AuditRequest): Promise<void> {
  const result = await execa(process.execPath, [AUDITOR, `--report=${reportPath}`, `--profile=${profile}`, ...evidence], { reject: false, cancelSignal: signal, stdin: 'ignore' });
  signal.throwIfAborted();
  if (result.exitCode !== 0) {
    throw new HarnessError('QL3_GATES', `expected the auditor to accept the report as a ${profile}, got exit code ${result.exitCode}: ${result.stdout.trim()} ${result.stderr.trim()}`.trim());
  }
}
