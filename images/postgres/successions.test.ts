import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type pg from 'pg';
import { ConstraintProbe } from './test-constraints.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';
import {
  BINDING, CREDENTIAL, DELIVERIES, DISCARDS, EXECUTIONS, HISTORY, PLAN, PREVIOUS_CREDENTIAL, PROJECT, REQUESTS, SESSIONS, hex, insertRow,
  session, updateRow, uuid, type Row,
} from './test-rows.ts'; // prettier-ignore
import type { TableName } from './privileges.ts';

let database: TestDatabase;
let client: pg.PoolClient;
let probe: ConstraintProbe;

before(async () => {
  database = await createTestDatabase();
  client = await database.open('superuser').connect();
  probe = new ConstraintProbe(client);
});

after(async () => {
  client.release();
  await database.close();
});

type Placed = readonly [TableName, Row];

const afterUpdate = (table: TableName, from: Row, to: Row): Promise<string | null> =>
  // The server checks a foreign key again for a row of the same transaction, so the plan of a request must be there.
  probe.refusalAfter([['worker_credential_management_plans', PLAN], [table, from]], (sql) => updateRow(sql, table, to));
const afterInsert = (table: TableName, earlier: readonly Placed[], row: Row): Promise<string | null> =>
  probe.refusalAfter(earlier, (sql) => insertRow(sql, table, row));

const EXECUTION_MOVES: Readonly<Record<string, readonly string[]>> = {
  pending: ['leased', 'blocked'],
  leased: ['executing', 'failed', 'blocked', 'retry_wait', 'leased'],
  executing: ['executing', 'succeeded', 'failed'],
  retry_wait: ['leased', 'blocked'],
  succeeded: [],
  failed: [],
  blocked: [],
};

for (const [from, allowed] of Object.entries(EXECUTION_MOVES)) {
  test(`an execution that is ${from} may become ${allowed.join(', ') || 'nothing else'}`, async () => {
    const before = { ...EXECUTIONS[from as keyof typeof EXECUTIONS] } as Row;
    for (const to of Object.keys(EXECUTION_MOVES)) {
      const refusal = await afterUpdate('approved_action_executions', before, nextExecution(before, to));
      assert.equal(refusal === null, allowed.includes(to), `${from} to ${to}: ${String(refusal)}`);
    }
  });
}

/** A row of the wanted state that differs from the row before only where the state demands it. */
function nextExecution(before: Row, to: string): Row {
  const target: Row = EXECUTIONS[to as keyof typeof EXECUTIONS];
  const started = before['started_at_ms'];
  return {
    ...target,
    version: to === 'pending' ? 1 : (before['version'] as number) + 1,
    attempt: to === 'pending' ? 0 : (before['attempt'] as number) + (to === 'leased' ? 1 : 0),
    // A lapsed lease is taken over, and a retry begins, after the time that was set for it.
    ...(to === 'leased' && before['state'] !== 'pending' ? { claimed_at_ms: 600, lease_expires_at_ms: 1_200 } : {}),
    ...(to === 'failed' && started === null ? { started_at_ms: null } : {}),
    ...(to === 'executing' ? { lease_expires_at_ms: 1_200 } : {}),
    ...(to === 'blocked' ? { claimed_at_ms: before['claimed_at_ms'] } : {}),
  };
}

test('an execution changes one version at a time, keeps what it started with, and is not stolen from a live lease', async () => {
  const { pending, leased, executing, succeeded } = EXECUTIONS;
  const refusal = (from: Row, to: Row): Promise<string | null> => afterUpdate('approved_action_executions', from, to);
  assert.equal(await refusal(pending, { ...leased, version: 3 }), 'approved_action_executions_next_version');
  assert.equal(await refusal(pending, { ...leased, created_at_ms: 41 }), 'approved_action_executions_immutable_columns');
  assert.equal(await refusal(executing, { ...succeeded, started_at_ms: 52 }), 'approved_action_executions_immutable_columns');
  assert.equal(await refusal(pending, { ...leased, attempt: 2 }), 'approved_action_executions_attempt');
  const takeover = { ...leased, version: 3, attempt: 2, claimed_at_ms: 599, lease_expires_at_ms: 1_200 };
  assert.equal(await refusal(leased, takeover), 'approved_action_executions_lease_live');
  assert.equal(await refusal(EXECUTIONS.retry_wait, { ...leased, version: 4, attempt: 2, claimed_at_ms: 69 }), 'approved_action_executions_transition');
  for (const state of ['leased', 'executing', 'succeeded', 'failed', 'blocked', 'retry_wait'] as const) {
    assert.equal(await afterInsert('approved_action_executions', [], EXECUTIONS[state]), 'approved_action_executions_begin', state);
  }
});

const REQUEST_MOVES: Readonly<Record<string, readonly string[]>> = {
  pending: ['approved', 'rejected'],
  approved: ['consumed'],
  rejected: [],
  consumed: [],
};

for (const [from, allowed] of Object.entries(REQUEST_MOVES)) {
  test(`a request that is ${from} may become ${allowed.join(', ') || 'nothing else'}`, async () => {
    for (const to of Object.keys(REQUEST_MOVES)) {
      const rows = REQUESTS as Readonly<Record<string, Row>>;
      const refusal = await afterUpdate('approval_requests', rows[from]!, rows[to]!);
      assert.equal(refusal === null, allowed.includes(to), `${from} to ${to}: ${String(refusal)}`);
    }
  });
}

test('a decision cannot rewrite the request, nor a consumption the decision', async () => {
  const rewritten: readonly [Row, Row][] = [
    [REQUESTS.pending, { ...REQUESTS.approved, action_digest: hex('9') }],
    [REQUESTS.pending, { ...REQUESTS.approved, requested_by_id: 'operator-c' }],
    [REQUESTS.pending, { ...REQUESTS.approved, expires_at_ms: 901 }],
    [REQUESTS.approved, { ...REQUESTS.consumed, decided_by_id: 'operator-c' }],
    [REQUESTS.approved, { ...REQUESTS.consumed, decided_at_ms: 31 }],
  ];
  for (const [from, to] of rewritten) {
    assert.equal(await afterUpdate('approval_requests', from, to), 'approval_requests_immutable_columns');
  }
  for (const state of ['approved', 'rejected', 'consumed'] as const) {
    assert.equal(await afterInsert('approval_requests', [], REQUESTS[state]), 'approval_requests_begin', state);
  }
});

test('a credential is revoked once and nothing else of it ever changes', async () => {
  const revoked = { ...CREDENTIAL, version: 2, state: 'revoked', revoked_at_ms: 200 };
  const refusal = (from: Row, to: Row): Promise<string | null> => afterUpdate('worker_credentials', from, to);
  assert.equal(await refusal(CREDENTIAL, revoked), null);
  assert.equal(await refusal(revoked, CREDENTIAL), 'worker_credentials_next_version');
  assert.equal(await refusal(revoked, { ...revoked, version: 3 }), 'worker_credentials_state');
  for (const change of [{ secret_digest: hex('0') }, { expires_at_ms: 10_001 }, { worker_id: 'worker-2' }, { credential_id: 'x' }]) {
    assert.equal(await refusal(CREDENTIAL, { ...revoked, ...change }), 'worker_credentials_immutable_columns');
  }
});

test('a project changes one version at a time and keeps its birth', async () => {
  const refusal = (to: Row): Promise<string | null> => afterUpdate('projects', PROJECT, to);
  assert.equal(await refusal({ ...PROJECT, version: 2, state: 'archived', updated_at_ms: 2 }), null);
  assert.equal(await refusal({ ...PROJECT, state: 'archived' }), 'projects_next_version');
  assert.equal(await refusal({ ...PROJECT, version: 2, created_at_ms: 0 }), 'projects_immutable_columns');
});

test('role bindings of a subject follow each other without gaps', async () => {
  const earlier: readonly Placed[] = [['projects', PROJECT], ['project_role_bindings', BINDING]];
  const next = { ...BINDING, version: 2, state: 'revoked' };
  assert.equal(await afterInsert('project_role_bindings', earlier, next), null);
  assert.equal(await afterInsert('project_role_bindings', earlier, { ...next, version: 3 }), 'project_role_bindings_append');
  assert.equal(await afterInsert('project_role_bindings', earlier, { ...next, bound_at_ms: 0 }), 'project_role_bindings_append');
  assert.equal(await afterInsert('project_role_bindings', earlier, { ...BINDING, subject_id: 'operator-b', version: 2 }), 'project_role_bindings_append');
});

const REVOKED_PREVIOUS: Row = { ...PREVIOUS_CREDENTIAL, version: 2, state: 'revoked', revoked_at_ms: 175 };
const CREDENTIALS: readonly Placed[] = [['worker_credentials', CREDENTIAL], ['worker_credentials', REVOKED_PREVIOUS]];
const deliveriesUpTo = (count: number): readonly Placed[] =>
  DELIVERIES.slice(0, count).map((row): Placed => ['worker_credential_deliveries', row]);

test('a delivery goes from one version to the next and repeats everything that was said before', async () => {
  for (const [index, row] of DELIVERIES.entries()) {
    const earlier = [...CREDENTIALS, ...deliveriesUpTo(index)];
    assert.equal(await afterInsert('worker_credential_deliveries', earlier, row), null, `version ${index + 1}`);
    if (index === 0) continue;
    const skipped = [...CREDENTIALS, ...deliveriesUpTo(index - 1)];
    assert.equal(await afterInsert('worker_credential_deliveries', skipped, row), 'worker_credential_deliveries_append', `skipping ${index}`);
    for (const change of [{ token_digest: hex('0') }, { staged_at_ms: 139 }, { worker_id: 'worker-2' }, { previous_credential_id: null }, { credential_committed_at_ms: 149 }]) {
      if (index === 3 && 'previous_credential_id' in change) continue;
      const refusal = await afterInsert('worker_credential_deliveries', earlier, { ...row, ...change });
      assert.equal(refusal, 'worker_credential_deliveries_append', JSON.stringify(change));
    }
  }
});

test('no version of a delivery is written twice, and no credential or token is delivered twice', async () => {
  const earlier = [...CREDENTIALS, ...deliveriesUpTo(2)];
  const refusal = (row: Row): Promise<string | null> => afterInsert('worker_credential_deliveries', earlier, row);
  assert.equal(await refusal(DELIVERIES[0]!), 'worker_credential_deliveries_pkey');
  assert.equal(await refusal(DELIVERIES[1]!), 'worker_credential_deliveries_append');
  assert.equal(await refusal({ ...DELIVERIES[0], delivery_id: uuid(10) }), 'worker_credential_deliveries_one_per_credential');
});

test('a delivery belongs to a credential of the same worker with the same secret', async () => {
  const refusal = (change: Row): Promise<string | null> =>
    afterInsert('worker_credential_deliveries', CREDENTIALS, { ...DELIVERIES[0], ...change });
  assert.equal(await refusal({ credential_id: 'credential-3' }), 'worker_credential_deliveries_credential_fkey');
  assert.equal(await refusal({ secret_digest: hex('0') }), 'worker_credential_deliveries_credential_fkey');
  assert.equal(await refusal({ worker_id: 'worker-2' }), 'worker_credential_deliveries_credential_fkey');
  assert.equal(await refusal({ previous_credential_id: 'credential-0' }), 'worker_credential_deliveries_previous_fkey');
});

test('version 4 needs the predecessor to be revoked', async () => {
  const earlier: readonly Placed[] = [['worker_credentials', CREDENTIAL], ['worker_credentials', PREVIOUS_CREDENTIAL], ...deliveriesUpTo(3)];
  assert.equal(await afterInsert('worker_credential_deliveries', earlier, DELIVERIES[3]!), 'worker_credential_deliveries_previous_revoked');
});

test('a tombstone forbids committing the token it discarded, and needs a stage that no delivery knows', async () => {
  const tombstone: Placed = ['worker_credential_stage_discards', DISCARDS[0]!];
  const commit = (row: Row): Promise<string | null> => afterInsert('worker_credential_deliveries', [...CREDENTIALS, tombstone], row);
  assert.equal(await commit(DELIVERIES[0]!), 'worker_credential_deliveries_tombstone');
  assert.equal(await commit({ ...DELIVERIES[0], token_digest: hex('0') }), null, 'a fresh token under the same plan');

  const discard = (earlier: readonly Placed[], row: Row): Promise<string | null> => afterInsert('worker_credential_stage_discards', earlier, row);
  assert.equal(await discard([], DISCARDS[0]!), null);
  assert.equal(await discard([...CREDENTIALS, ...deliveriesUpTo(1)], DISCARDS[0]!), 'worker_credential_stage_discards_unknown_delivery');
  assert.equal(await discard([tombstone], DISCARDS[1]!), null);
  assert.equal(await discard([tombstone], { ...DISCARDS[1], worker_id: 'worker-2' }), 'worker_credential_stage_discards_append');
  assert.equal(await discard([], DISCARDS[1]!), 'worker_credential_stage_discards_append');
  assert.equal(await discard([tombstone], DISCARDS[0]!), 'worker_credential_stage_discards_pkey');
});

const historyAfter = (earlier: readonly Row[], row: Row): Promise<string | null> =>
  afterInsert('worker_session_history', [...CREDENTIALS, ...earlier.map((placed): Placed => ['worker_session_history', placed])], row);

test('the history of a worker is one unbroken chain of sessions', async () => {
  const { registered, heartbeat, draining, offline } = HISTORY;
  const second = { ...registered, version: 3, generation: 2, session_id: session(2), replaced_session_id: session(1), recorded_at_ms: 200 };
  assert.equal(await historyAfter([], registered), null);
  assert.equal(await historyAfter([registered], heartbeat), null);
  assert.equal(await historyAfter([registered], draining), null);
  assert.equal(await historyAfter([registered, draining], offline), null);
  assert.equal(await historyAfter([registered, draining], { ...heartbeat, version: 2, status: 'draining', available_slots: 0, recorded_at_ms: 185 }), null);
  assert.equal(await historyAfter([registered, draining, offline], second), null);
  assert.equal(await historyAfter([registered, heartbeat], { ...second, version: 2 }), null, 'a crashed session is replaced while online');

  const broken: readonly [readonly Row[], Row][] = [
    [[], { ...heartbeat, version: 0 }],
    [[], { ...registered, version: 1 }],
    [[registered], { ...heartbeat, version: 2 }],
    [[registered], { ...heartbeat, generation: 2 }],
    [[registered], { ...heartbeat, session_id: session(2) }],
    [[registered], { ...heartbeat, recorded_at_ms: 164 }],
    [[registered, draining], { ...heartbeat, version: 2, recorded_at_ms: 185 }],
    [[registered, draining], { ...draining, version: 2 }],
    [[registered, draining, offline], { ...heartbeat, version: 3, recorded_at_ms: 200 }],
    [[registered, draining, offline], { ...offline, version: 3 }],
    [[registered, draining, offline], { ...second, generation: 3 }],
    [[registered, draining, offline], { ...second, replaced_session_id: session(9) }],
    [[registered, draining, offline, second], { ...second, version: 4, generation: 3, session_id: session(1), replaced_session_id: session(2) }],
  ];
  for (const [earlier, row] of broken) {
    assert.equal(await historyAfter(earlier, row), 'worker_session_history_append', JSON.stringify(row));
  }
  assert.equal(await historyAfter([], { ...registered, credential_id: 'credential-9' }), 'worker_session_history_credential_fkey');
});

test('a current session goes forward: one version, one session, online to draining to offline', async () => {
  const { online, draining, offline } = SESSIONS;
  const refusal = (from: Row, to: Row): Promise<string | null> => afterUpdate('worker_sessions', from, to);
  const second = { ...online, session_id: session(2), generation: 2, version: 3, registered_at_ms: 200, lease_expires_at_ms: 15_200 };
  assert.equal(await refusal(online, { ...online, version: 1, last_heartbeat_at_ms: 170 }), null);
  assert.equal(await refusal(online, draining), null);
  assert.equal(await refusal(draining, { ...draining, version: 2, last_heartbeat_at_ms: 185 }), null);
  assert.equal(await refusal(draining, offline), null);
  assert.equal(await refusal(online, { ...offline, version: 1, draining_at_ms: null }), null);
  assert.equal(await refusal(offline, second), null);
  assert.equal(await refusal(online, { ...second, version: 1 }), null);

  const broken: readonly [Row, Row, string][] = [
    [online, { ...draining, version: 2 }, 'worker_sessions_next_version'],
    [online, { ...online, version: 1, worker_id: 'worker-2' }, 'worker_sessions_next_version'],
    [offline, { ...second, generation: 3 }, 'worker_sessions_replacement'],
    [offline, { ...second, status: 'draining', available_slots: 0, draining_at_ms: 201 }, 'worker_sessions_replacement'],
    [offline, { ...second, last_heartbeat_at_ms: 201 }, 'worker_sessions_replacement'],
    [offline, { ...second, registered_at_ms: 100 }, 'worker_sessions_replacement'],
    [online, { ...draining, generation: 2 }, 'worker_sessions_immutable_columns'],
    [online, { ...draining, max_concurrent_runs: 3 }, 'worker_sessions_immutable_columns'],
    [online, { ...draining, registered_at_ms: 166 }, 'worker_sessions_immutable_columns'],
    [draining, { ...offline, draining_at_ms: 181 }, 'worker_sessions_immutable_columns'],
    [draining, { ...online, version: 2, draining_at_ms: 180 }, 'worker_sessions_transition'],
    [offline, { ...offline, version: 3 }, 'worker_sessions_transition'],
    [{ ...online, last_heartbeat_at_ms: 175 }, { ...online, version: 1, last_heartbeat_at_ms: 174 }, 'worker_sessions_transition'],
  ];
  for (const [from, to, constraint] of broken) assert.equal(await refusal(from, to), constraint, JSON.stringify(to));
});
