import { deletionRequestOf } from './audit.ts';
import { journalEntries, keepsEarlierRecords, type JournalEntry } from './journal.ts';
import { numberAt, textAt } from './fields.ts';
import { fact, type ObservedRun } from './observed-run.ts';
import type { PodLife, WatchedObject } from './pods.ts';
import { actorCast } from './worker-pods.ts';
import { rule, type Rule } from '../verdict.ts';

/** Pods that the contract loses by force: they may not get to write a stop record. */
export const forcedPodUids = fact((run: ObservedRun): ReadonlySet<string> => {
  const { rotated } = actorCast(run);
  return new Set(rotated === null ? [] : [rotated.uid]);
});

/**
 * The event by which a Pod was out of the way of its successor. The API server removes a Pod that is deleted without grace in two
 * writes, and its ReplicaSet may make the next one between them: such a Pod is given up with the first.
 */
export function outOfTheWay(run: ObservedRun, pod: PodLife): WatchedObject | null {
  const givenUp = forcedPodUids(run).has(pod.uid) ? pod.events.find(({ body }) => numberAt(body.object, 'metadata', 'deletionGracePeriodSeconds') === 0 && textAt(body.object, 'metadata', 'deletionTimestamp') !== null) : undefined;
  return givenUp ?? pod.ended;
}

/** For each replacement in phase A: the journal shows the old actor's stop before the new one's start, and everything earlier. */
export const journalOrder = fact((run: ObservedRun): readonly Rule[] => {
  const entries = journalEntries(run);
  return entries.slice(1).map((successor, index) => replacementRule(run, entries[index] as JournalEntry, successor));
});

function replacementRule(run: ObservedRun, predecessor: JournalEntry, successor: JournalEntry): Rule {
  const forced = forcedPodUids(run).has(predecessor.pod.uid);
  const words = forced ? 'every earlier record (the force-deleted Pod need not have stopped)' : 'every earlier record and the stop of its predecessor';
  return rule(`Pod ${successor.pod.name} found ${words}`, keepsEarlierRecords(predecessor, successor, forcedPodUids(run)), [
    ...predecessor.sources,
    ...successor.sources,
    deletionRequestOf(run, predecessor.pod),
  ]);
}

/** The journal's part of one replacement, by the credential generation that it brought. */
export function journalRuleFor(run: ObservedRun, successorUid: string | undefined): Rule | null {
  const index = journalEntries(run).findIndex(({ pod }) => pod.uid === successorUid);
  return index < 1 ? null : (journalOrder(run)[index - 1] ?? null);
}
