import { WorkerError } from '../errors.ts';
import { decodeRecord, FIRST_LINK, type JournalRecord } from './journal-record.ts';

const NEWLINE = 0x0a;

export interface ScannedJournal {
  readonly records: readonly JournalRecord[];
  /** Digest of the last sound record: what the next one links to. */
  readonly link: string;
  readonly soundBytes: number;
  /** Bytes of a last record that was never completely written; 0 when there are none. */
  readonly tornBytes: number;
}

/**
 * Reads every record. An unsound end that a power loss explains is reported as torn; anything else is WORKER_JOURNAL_DAMAGED
 * with its offset, because records that were once acknowledged are missing and a person has to decide.
 */
export function scanJournal(bytes: Buffer, path: string): ScannedJournal {
  const records: JournalRecord[] = [];
  let link = FIRST_LINK;
  let offset = 0;
  while (offset < bytes.length) {
    const decoded = decodeRecord(bytes, offset, link);
    if (decoded === null) {
      if (!isTorn(bytes.subarray(offset))) throw damaged(path, offset, bytes.length, records.length);
      break;
    }
    if (decoded.record.sequence !== records.length) throw damaged(path, offset, bytes.length, records.length);
    records.push(decoded.record);
    link = decoded.link;
    offset = decoded.end;
  }
  return { records, link, soundBytes: offset, tornBytes: bytes.length - offset };
}

/**
 * A record is one line, so a line that is followed by more was completely written once. The last one is torn when its newline
 * is missing, or when it holds NUL bytes: blocks that the file grew by but that never reached the disk. JSON holds none.
 */
function isTorn(rest: Buffer): boolean {
  const newline = rest.indexOf(NEWLINE);
  if (newline === -1) return true;
  return newline === rest.length - 1 && rest.includes(0);
}

function damaged(path: string, offset: number, sizeBytes: number, soundRecords: number): WorkerError {
  return new WorkerError(
    'WORKER_JOURNAL_DAMAGED',
    `the journal at ${path} is damaged at byte ${offset} of ${sizeBytes}: expected record ${soundRecords} with a matching checksum. ` +
      'Keep a copy of the file, find out what wrote to the volume, and move the file away to start with an empty journal',
    { facts: { path, offset, sizeBytes, soundRecords } },
  );
}
