import { DATABASE_NOW_MS } from '../../../postgres/clock.ts';
import type { Transaction } from '../../../postgres/transaction.ts';

/** One clock for all who plan, decide and execute, wherever they run. */
export async function readDatabaseNow(sql: Transaction): Promise<number> {
  const { rows } = await sql.query<{ now_ms: number }>(`SELECT ${DATABASE_NOW_MS} AS now_ms`);
  return rows[0]!.now_ms;
}
