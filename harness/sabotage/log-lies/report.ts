import { deriveReport } from '../../../evidence/derive.ts';
import type { Observation } from '../../../evidence/observation.ts';
import type { Catch } from '../catch.ts';
import { setIn } from '../log-edit.ts';
import type { LogLie } from '../log-lie.ts';

type Path = readonly (string | number)[];

const reportOf = (log: readonly Observation[]): unknown => JSON.parse(JSON.stringify(deriveReport(log).report));

function edited(name: string, pretends: string, path: Path, value: unknown, caughtBy: readonly Catch[]): LogLie {
  return { name, pretends, caughtBy, tell: ({ observations }) => ({ log: observations, report: setIn(reportOf(observations), path, value) }) };
}

/** About the report that goes with an honest log. */
export const REPORT_LIES: readonly LogLie[] = [
  edited('report-of-a-shorter-drain', 'the drain took a millisecond; the log says otherwise', ['productionWorker', 'gracefulDrainElapsedMs'], 1, ['DERIVATION', 'productionWorker.gracefulDrainElapsedMs']),
  edited('report-of-another-revision', 'another source; the log was written from this one', ['sourceRevision'], 'd'.repeat(40), ['DERIVATION']),
  edited('report-of-another-time', 'observed a minute earlier', ['observedAt'], '2026-01-01T00:00:00.000Z', ['DERIVATION']),
  edited('report-of-another-pod', 'a Pod of an earlier run', ['productionWorker', 'podUids', 0], '3d9f2f70-3f4c-4d7e-9d0e-0d2f5b8a4c11', ['DERIVATION']),
  edited('report-of-more-journal', 'a longer journal', ['recovery', 'durableJournalRecords'], 99, ['DERIVATION', 'recovery.durableJournalRecords']),
  edited('report-claims-a-real-cluster', 'a gate that this platform cannot prove', ['gates', 'realKubernetesApi'], true, ['DERIVATION', 'gates.realKubernetesApi']),
  edited('report-claims-to-have-passed', 'all gates together', ['gates', 'passed'], true, ['DERIVATION', 'gates.passed']),
  edited('report-hides-what-is-unproven', 'nothing is unproven', ['unproven'], [], ['DERIVATION']),
  edited('report-without-limitations', 'no limits but the contract’s', ['limitations', 0], 'none', ['DERIVATION', 'LIMITATIONS']),
  edited('report-of-release-evidence', 'the fixture of a release', ['fixture'], 'qinglong/worker-kubernetes-rollout-live-contract@v2', ['DERIVATION', 'REPORT_SHAPE']),
  { name: 'report-of-another-run', pretends: 'report and log of one run; they are of two', caughtBy: ['DERIVATION'], tell: ({ observations, another }) => ({ log: observations, report: reportOf(another) }) },
];
