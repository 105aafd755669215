import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PROBE_NAMES } from '../contract-names.ts';
import type { Observation } from '../observation.ts';
import { alter, first, type Lie } from '../testing/lies.ts';
import { logged, RUN } from '../testing/scenes.ts';
import { ObservedRun } from './observed-run.ts';
import { rowsOf, rowsWhere } from './rows.ts';
import { unrequestedStates } from './unrequested-states.ts';

const foundIn = (log: readonly Observation[]): number => unrequestedStates(new ObservedRun(log)).length;
const LAST_HEARD_MS = Math.max(...new ObservedRun(RUN).of('ingress.line').map(({ body }) => Date.parse(String(body.line['at']))));

/** A heartbeat of the session that still goes on at the end, which the database has and the ingress has not told yet. */
function heartbeatAt(recordedAtMs: number): Lie {
  return (log) => {
    const row = rowsWhere(rowsOf(new ObservedRun(log), 'worker_session_history'), 'worker_id', PROBE_NAMES.workerId).at(-1)?.columns ?? {};
    const { worker_id: workerId = '', session_id: sessionId = '' } = row;
    const rows: Readonly<Record<string, Readonly<Record<string, string | number | boolean | null>>>> = {
      worker_session_history: { ...row, version: 99, reason: 'heartbeat', recorded_at_ms: recordedAtMs },
      security_audit_events: { event_id: 'heartbeat', occurred_at_ms: recordedAtMs, action: 'worker_session.heartbeat', outcome: 'allowed', subject_type: 'worker', subject_id: workerId, resource_id: sessionId },
    };
    return alter('database.rows', ({ table }) => table in rows, (body) => ({ ...body, rows: [...body.rows, ...(rows[body.table] === undefined ? [] : [rows[body.table] ?? {}])] }))(log);
  };
}
const registered = logged('worker_request', { workerId: PROBE_NAMES.workerId, operation: 'register' });
const answered = (change: Readonly<Record<string, unknown>>): Lie => alter('ingress.line', first(registered), (body) => ({ ...body, line: { ...body.line, ...change } }));

describe('states of sessions', () => {
  it('all come from a request', () => assert.equal(foundIn(RUN), 0));
  it('may be ahead of what the ingress has told when the run ends, as far as it may take its time over an answer', () => {
    assert.equal(foundIn(heartbeatAt(LAST_HEARD_MS + 20)(RUN)), 0);
    assert.equal(foundIn(heartbeatAt(LAST_HEARD_MS - 14_000)(RUN)), 0);
    assert.equal(foundIn(heartbeatAt(LAST_HEARD_MS - 16_000)(RUN)), 1);
  });
  it('may come from a request that failed after it had been carried out, and from none that was refused', () => {
    assert.equal(foundIn(answered({ status: 504, version: null, generation: null })(RUN)), 0);
    assert.equal(foundIn(answered({ status: 409, version: null, generation: null })(RUN)), 1);
  });
});
