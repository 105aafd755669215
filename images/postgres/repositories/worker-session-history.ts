import type { Transaction } from '../transaction.ts';
import type { ReplacedSession } from '../../core/session-wire.ts';
import { integer, text } from './worker-session-row.ts';

/** True for any session that this Worker has ever had: an old one never comes back. */
export async function wasEverRegistered(transaction: Transaction, workerId: string, sessionId: string): Promise<boolean> {
  const found = await transaction.query('SELECT 1 FROM ql3.worker_session_history WHERE worker_id = $1 AND session_id = $2 LIMIT 1', [workerId, sessionId]);
  return found.rows.length > 0;
}

/** True when the id is another Worker's current session. */
export async function belongsToAnotherWorker(transaction: Transaction, workerId: string, sessionId: string): Promise<boolean> {
  const found = await transaction.query('SELECT 1 FROM ql3.worker_sessions WHERE session_id = $2 AND worker_id <> $1', [workerId, sessionId]);
  return found.rows.length > 0;
}

/** The session that this one took the place of, as it stood then; null for a Worker's first. */
export async function findReplacedBy(transaction: Transaction, workerId: string, sessionId: string): Promise<ReplacedSession | null> {
  const found = await transaction.query(
    `SELECT replaced.session_id, replaced.generation, replaced.version, replaced.status
     FROM ql3.worker_session_history opened
     JOIN ql3.worker_session_history replaced ON replaced.worker_id = opened.worker_id AND replaced.version = opened.version - 1
     WHERE opened.worker_id = $1 AND opened.session_id = $2 AND opened.reason = 'registered'`,
    [workerId, sessionId],
  );
  const row: Record<string, unknown> | undefined = found.rows[0];
  if (row === undefined) return null;
  return {
    sessionId: text(row, 'session_id'),
    generation: integer(row, 'generation'),
    version: integer(row, 'version'),
    status: text(row, 'status') as ReplacedSession['status'],
  };
}
