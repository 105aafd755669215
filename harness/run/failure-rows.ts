import type pg from 'pg';
import { recordTables } from '../database/witness.ts';
import type { Recorder } from '../observation/recorder.ts';
import type { FailureFolder } from './failure-folder.ts';
import { reasonOf } from './failure-reason.ts';

const ANSWER_WITHIN_MS = 10_000;

/** Saves the rows of the contract's tables, less what derives from secrets, in one snapshot. */
export async function saveRows(folder: FailureFolder, witness: pg.Pool | null): Promise<void> {
  const what = 'rows of the database';
  if (witness === null) return folder.miss(what, 'the database was not there yet');
  const tables: object[] = [];
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`PostgreSQL did not answer within ${ANSWER_WITHIN_MS} ms`)), ANSWER_WITHIN_MS);
  });
  const recorder: Recorder = { record: (_kind, _subject, body) => tables.push(body) };
  const reading = recordTables(witness, recorder, 'collect');
  reading.catch(() => undefined);
  try {
    await Promise.race([reading, late]);
    folder.save('rows.json', 'rows', 'the contract’s tables', `${JSON.stringify(tables, null, 2)}\n`);
  } catch (error) {
    folder.miss(what, reasonOf(error));
  } finally {
    clearTimeout(timer);
  }
}
