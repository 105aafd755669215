import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { deriveReport } from '../../evidence/derive.ts';
import type { parseObservations } from '../../evidence/read-observations.ts';
import type { Finding } from './catch.ts';

/** What is used of the honest tree: loaded from there, so that a copy that lies has no say in how it is judged. */
interface HonestTree {
  readonly auditReport: (report: unknown, context: { readonly profile: 'rehearsal'; readonly now: Date; readonly sourceCommittedAt: null }) => Audit;
  readonly auditObservations: (log: string, report: unknown) => readonly Finding[];
  readonly deriveReport: typeof deriveReport;
  readonly parseObservations: typeof parseObservations;
}

interface Audit {
  readonly findings: readonly Finding[];
}

/** What the auditor of an honest tree finds in a log and its report. */
export class Judge {
  readonly #tree: HonestTree;

  private constructor(tree: HonestTree) {
    this.#tree = tree;
  }

  static async of(tree: string): Promise<Judge> {
    const load = async (path: string): Promise<HonestTree> => (await import(pathToFileURL(join(tree, path)).href)) as HonestTree;
    const [audit, observations, derive, read] = await Promise.all([load('auditor/audit-report.ts'), load('auditor/observations/audit-observations.ts'), load('evidence/derive.ts'), load('evidence/read-observations.ts')]);
    return new Judge({ auditReport: audit.auditReport, auditObservations: observations.auditObservations, deriveReport: derive.deriveReport, parseObservations: read.parseObservations });
  }

  /** Without a report, one is derived from the log by the same honest tree: what a liar would have written who only lies in the log. */
  findings(log: string, report: unknown): readonly Finding[] {
    const tree = this.#tree;
    const told = report ?? (JSON.parse(JSON.stringify(tree.deriveReport(tree.parseObservations(log).observations).report)) as unknown);
    const { findings } = tree.auditReport(told, { profile: 'rehearsal', now: new Date(), sourceCommittedAt: null });
    return [...findings, ...tree.auditObservations(log, told)];
  }
}
