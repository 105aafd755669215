import { CONTRACT_NAMES } from '../contract-names.ts';
import { numberAt, textsAt } from '../facts/fields.ts';
import { durableRecords } from '../facts/journal.ts';
import type { ObservedRun } from '../facts/observed-run.ts';
import { eventLine, linesOf, printedAsWorker } from '../facts/process-lines.ts';
import { productPods } from '../facts/worker-pods.ts';
import { judged, rule } from '../verdict.ts';

/** What may be written after the last actor has started: its own stop, and that of the one that was lost by force. */
const LATE_RECORDS = 2;

/**
 * Each production Pod reconciled its journal before it registered. What it found is not empty: the records of phase A's
 * actors on the same volume, and every earlier session of phase B, closed.
 */
export const productionStartupReconciliation = judged((run: ObservedRun) => {
  const pods = productPods(run);
  const actorRecords = durableRecords(run);
  return [
    rule('three production Pods', pods.length === 3, pods),
    ...pods.flatMap((pod, earlier) => {
      const [reconciled, registered] = [eventLine(run, pod.uid, 'reconciled'), eventLine(run, pod.uid, 'registered')];
      const line = reconciled?.body.line;
      const locked = linesOf(run, pod.uid).find(({ body }) => body.line['code'] === 'lock_acquired');
      return [
        rule(`what production Pod ${earlier + 1} printed is its own, of the contract's Worker, and of its time`, printedAsWorker(run, pod, CONTRACT_NAMES.workerId), linesOf(run, pod.uid)),
        rule(`production Pod ${earlier + 1} printed reconciled before registered`, reconciled !== null && registered !== null && reconciled.body.index < registered.body.index, [reconciled, registered]),
        rule(`production Pod ${earlier + 1} found the records of phase A and of nobody else`, actorRecords !== null && (numberAt(line, 'rolloutRecordsFound') ?? 0) >= actorRecords && (numberAt(line, 'rolloutRecordsFound') ?? 0) <= actorRecords + LATE_RECORDS, [reconciled]),
        rule(
          `production Pod ${earlier + 1} found its journal whole and nothing abandoned`,
          ['tornRecords', 'sessionsAbandonedEarlier', 'sessionsAbandonedNow'].every((count) => numberAt(line, count) === 0) && textsAt(line, 'abandonedSessionIds').length === 0,
          [reconciled],
        ),
        rule(
          `production Pod ${earlier + 1} took the volume over ${earlier === 0 ? 'as the first' : 'when it had been released'}`,
          locked?.body.line['epoch'] === earlier + 1 && locked.body.line['ground'] === (earlier === 0 ? 'first' : 'released'),
          [locked],
        ),
        rule(
          `production Pod ${earlier + 1} found ${earlier} earlier sessions, each of them offline`,
          numberAt(line, 'sessionsFound') === earlier && numberAt(line, 'sessionsOffline') === earlier && (earlier === 0 || (numberAt(line, 'recordsFound') ?? 0) > 0),
          [reconciled],
        ),
      ];
    }),
  ];
});
