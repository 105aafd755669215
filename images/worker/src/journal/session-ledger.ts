import type { JournalRecord } from './journal-record.ts';

export type SessionState = 'registering' | 'registered' | 'draining' | 'offline' | 'abandoned';

/** Which state may follow which; a record that breaks this was not written by this program. */
const FOLLOWS: Readonly<Record<SessionState, ReadonlySet<SessionState | 'unknown'>>> = {
  registering: new Set(['unknown']),
  registered: new Set(['registering']),
  draining: new Set(['registered']),
  offline: new Set(['draining']),
  abandoned: new Set(['registering', 'registered', 'draining']),
};

export interface SessionLedger {
  readonly states: ReadonlyMap<string, SessionState>;
  /** Sequence of the first record that no session history allows, or null. */
  readonly firstContradiction: number | null;
}

/** The last state of every session in the journal. */
export function foldSessions(records: readonly JournalRecord[]): SessionLedger {
  const states = new Map<string, SessionState>();
  for (const record of records) {
    if (record.type === 'created') continue;
    if (!FOLLOWS[record.type].has(states.get(record.sessionId) ?? 'unknown')) return { states, firstContradiction: record.sequence };
    states.set(record.sessionId, record.type);
  }
  return { states, firstContradiction: null };
}

export function isOpen(state: SessionState): boolean {
  return state !== 'offline' && state !== 'abandoned';
}
