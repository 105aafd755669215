import { fact, type ObservedRun } from './observed-run.ts';
import { textAt, textsAt } from './fields.ts';
import type { PodLife } from './pods.ts';
import { eventLine, isOfItsPod } from './process-lines.ts';
import { actorPods } from './worker-pods.ts';

/** What one actor found on its volume and what it added. */
export interface JournalEntry {
  readonly pod: PodLife;
  readonly inherited: readonly string[] | null;
  readonly record: string | null;
  readonly sources: readonly { readonly seq: number }[];
}

export interface StartRecord {
  readonly podUid: string;
  readonly tokenDigest: string;
  readonly caDigest: string;
}

export const journalEntries = fact((run: ObservedRun): readonly JournalEntry[] =>
  actorPods(run).map((pod) => {
    const [found = null, started = null] = ['journal_inherited', 'started'].map((event) => {
      const line = eventLine(run, pod.uid, event);
      return line !== null && isOfItsPod(pod, line) ? line : null;
    });
    return {
      pod,
      inherited: found === null ? null : textsAt(found.body.line, 'lines'),
      record: textAt(started?.body.line, 'record'),
      sources: [found, started].filter((source) => source !== null),
    };
  }),
);

export function parseStartRecord(line: string | null | undefined): StartRecord | null {
  const match = /^start (\S+) ([0-9a-f]{64}) ([0-9a-f]{64})$/.exec(line ?? '');
  return match === null ? null : { podUid: match[1] as string, tokenDigest: match[2] as string, caDigest: match[3] as string };
}

export const stopRecord = (podUid: string): string => `stop ${podUid}`;

/**
 * Whether a successor found everything that its predecessor had found and written, byte for byte and in order, and
 * besides it only stop records. A force-deleted Pod may still write its stop record late, or never: it is left out.
 */
export function keepsEarlierRecords(predecessor: JournalEntry, successor: JournalEntry, forced: ReadonlySet<string>): boolean {
  if (predecessor.inherited === null || predecessor.record === null || successor.inherited === null) return false;
  const late = new Set([...forced].map(stopRecord));
  const settled = (lines: readonly string[]): readonly string[] => lines.filter((line) => !late.has(line));
  const earlier = [...settled(predecessor.inherited), predecessor.record];
  const found = settled(successor.inherited);
  const rest = found.slice(earlier.length);
  const expected = forced.has(predecessor.pod.uid) ? [] : [stopRecord(predecessor.pod.uid)];
  return earlier.every((line, index) => found[index] === line) && rest.length === expected.length && rest.every((line, index) => line === expected[index]);
}

/** Records that the last actor's volume held once it had started. */
export const durableRecords = fact((run: ObservedRun): number | null => {
  const last = journalEntries(run).at(-1);
  return last === undefined || last.inherited === null || last.record === null ? null : last.inherited.length + 1;
});
