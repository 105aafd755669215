import { missingOf } from './catch.ts';
import type { Forgery, LogLie, RecordedRuns } from './log-lie.ts';
import type { Row } from './table.ts';

export type AskAuditor = (log: Forgery['log'], report: unknown) => Promise<ReadonlySet<string>> | ReadonlySet<string>;

/** Changes a recorded log, or its report, and asks the auditor what it sees. */
export async function tellLogLie(lie: LogLie, runs: RecordedRuns, ask: AskAuditor): Promise<Row> {
  const { log, report = null } = lie.tell(runs);
  const found = await ask(log, report);
  const missing = missingOf(lie.caughtBy, found);
  const row = { lie: lie.name, told: 'log', expected: lie.caughtBy, found: [...found] } as const;
  if (found.size === 0) return { ...row, verdict: 'the auditor accepts it' };
  return { ...row, verdict: missing.length === 0 ? null : `not caught by ${missing.join(', ')}` };
}
