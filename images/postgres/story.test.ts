import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from './test-database.ts';
import {
  BINDING, CREDENTIAL, DELIVERIES, DISPATCH, EXECUTIONS, HISTORY, MUTATION, PLAN, PREVIOUS_CREDENTIAL, PROJECT, REQUESTS, SESSIONS,
  auditEvent, hex, insertRow, updateRow, uuid, type Row,
} from './test-rows.ts'; // prettier-ignore
import type { RoleName } from './roles.ts';
import type { TableName } from './privileges.ts';

/** The whole story of one rotation, as the roles that live it, step by step, each in its transaction. */

type Change = readonly ['insert' | 'update', TableName, Row];

interface Step {
  readonly name: string;
  readonly role: RoleName;
  readonly changes: readonly Change[];
  /** Without the change at this place the transaction must not commit, and this constraint says why. */
  readonly needs: readonly (readonly [leftOut: number, constraint: string])[];
}

const PREVIOUS_MUTATION: Row = { ...MUTATION, mutation_id: uuid(71), credential_id: 'credential-1', delivery_id: uuid(8), audit_event_id: uuid(5) };

const STORY: readonly Step[] = [
  {
    name: 'a project with two users', role: 'ql3_migration', needs: [],
    changes: [['insert', 'projects', PROJECT], ['insert', 'project_role_bindings', BINDING], ['insert', 'project_role_bindings', { ...BINDING, subject_id: 'operator-b', role: 'approver' }]],
  },
  {
    name: 'a predecessor credential', role: 'ql3_admin', needs: [[0, 'worker_credential_mutations_audit_fkey'], [1, 'worker_credential_mutations_credential_fkey'], [2, 'worker_credentials_mutation_fkey']],
    changes: [['insert', 'security_audit_events', auditEvent(5)], ['insert', 'worker_credentials', PREVIOUS_CREDENTIAL], ['insert', 'worker_credential_mutations', PREVIOUS_MUTATION]],
  },
  { name: 'a plan', role: 'ql3_worker_credential_manager', needs: [], changes: [['insert', 'worker_credential_management_plans', PLAN]] },
  {
    name: 'a request', role: 'ql3_worker_credential_manager', needs: [[1, 'approval_requests_requested_audit_fkey']],
    changes: [['insert', 'approval_requests', REQUESTS.pending], ['insert', 'security_audit_events', auditEvent(1)]],
  },
  {
    name: 'a decision', role: 'ql3_worker_credential_manager', needs: [[1, 'approval_requests_decided_audit_fkey']],
    changes: [['update', 'approval_requests', pick(REQUESTS.approved, /^(version|state|decision|decided)/u)], ['insert', 'security_audit_events', auditEvent(2)]],
  },
  {
    name: 'a consumption with its dispatch and its execution', role: 'ql3_worker_credential_executor',
    needs: [[0, 'approved_action_dispatches_request_fkey'], [1, 'approval_requests_dispatch_fkey'], [2, 'approved_action_dispatches_execution_fkey'], [3, 'approval_requests_consumed_audit_fkey']],
    changes: [
      ['update', 'approval_requests', pick(REQUESTS.consumed, /^(version|state|consum|dispatch)/u)],
      ['insert', 'approved_action_dispatches', DISPATCH],
      ['insert', 'approved_action_executions', EXECUTIONS.pending],
      ['insert', 'security_audit_events', auditEvent(3)],
    ],
  },
  {
    name: 'claim and start', role: 'ql3_worker_credential_executor', needs: [],
    changes: [['update', 'approved_action_executions', EXECUTIONS.leased], ['update', 'approved_action_executions', EXECUTIONS.executing]],
  },
  {
    name: 'credential, mutation, audit and delivery', role: 'ql3_worker_credential_executor',
    needs: [[1, 'worker_credentials_mutation_fkey'], [2, 'worker_credential_mutations_audit_fkey']],
    changes: [
      ['insert', 'worker_credentials', CREDENTIAL],
      ['insert', 'worker_credential_mutations', MUTATION],
      ['insert', 'security_audit_events', auditEvent(4)],
      ['insert', 'worker_credential_deliveries', DELIVERIES[0]!],
    ],
  },
  { name: 'publication', role: 'ql3_worker_credential_executor', needs: [], changes: [['insert', 'worker_credential_deliveries', DELIVERIES[1]!]] },
  { name: 'success', role: 'ql3_worker_credential_executor', needs: [], changes: [['update', 'approved_action_executions', EXECUTIONS.succeeded]] },
  {
    name: 'a registration', role: 'ql3_worker_ingress', needs: [[1, 'worker_sessions_history_fkey']],
    changes: [['insert', 'worker_sessions', SESSIONS.online], ['insert', 'worker_session_history', HISTORY.registered]],
  },
  {
    name: 'a heartbeat that observes the delivery', role: 'ql3_worker_ingress',
    needs: [[1, 'worker_sessions_history_fkey']],
    changes: [
      ['update', 'worker_sessions', { version: 1, last_heartbeat_at_ms: 170, lease_expires_at_ms: 15_170 }],
      ['insert', 'worker_session_history', HISTORY.heartbeat],
      ['insert', 'worker_credential_deliveries', DELIVERIES[2]!],
    ],
  },
];

let database: TestDatabase;

before(async () => {
  database = await createTestDatabase();
});
after(() => database.close());

for (const { name, role, changes, needs } of STORY) {
  test(`${name}, as ${role}`, async () => {
    const pool = database.open(role);
    for (const [leftOut, constraint] of needs) {
      assert.equal(await refusalOf(pool, changes.toSpliced(leftOut, 1)), constraint, `without change ${leftOut}`);
    }
    assert.equal(await refusalOf(pool, changes), null);
  });
}

test('the predecessor is revoked and the delivery closed, as ql3_admin', async () => {
  const pool = database.open('ql3_admin');
  const close = async (withMutation: boolean): Promise<string | null> =>
    await transact(pool, async (client) => {
      await client.query(`UPDATE ql3.worker_credentials SET version = 2, state = 'revoked', revoked_at_ms = 175 WHERE credential_id = 'credential-1'`);
      await insertRow(client, 'security_audit_events', auditEvent(6));
      if (withMutation) {
        await insertRow(client, 'worker_credential_mutations', { ...PREVIOUS_MUTATION, mutation_id: uuid(72), credential_version: 2, operation: 'revoke', audit_event_id: uuid(6) });
      }
      await insertRow(client, 'worker_credential_deliveries', DELIVERIES[3]!);
    });
  assert.equal(await close(false), 'worker_credentials_mutation_fkey');
  assert.equal(await close(true), null);
});

test('a request must repeat its plan word for word', async () => {
  const pool = database.open('ql3_worker_credential_manager');
  const plan = { ...PLAN, action_ref: 'live/other', delivery_id: uuid(90), plan_digest: hex('1') };
  const request: Row = { ...REQUESTS.pending, request_id: 'request-2', action_ref: 'live/other', action_digest: hex('1') };
  assert.equal(await refusalOf(pool, [['insert', 'worker_credential_management_plans', plan]]), null);
  const lies: readonly Row[] = [
    { action_digest: hex('2') }, { preview_digest: hex('2') }, { action_type: 'worker_credential.delivery.issue' },
    { authority_project_id: 'other' }, { requested_by_id: 'operator-c' }, { plan_expires_at_ms: 1_001 }, { action_ref: 'live/none' },
  ]; // prettier-ignore
  for (const lie of lies) {
    assert.equal(await refusalOf(pool, [['insert', 'approval_requests', { ...request, ...lie }]]), 'approval_requests_plan_fkey', JSON.stringify(lie));
  }
  assert.equal(await refusalOf(pool, [['insert', 'approval_requests', request]]), null);
  assert.equal(await refusalOf(pool, [['insert', 'approval_requests', { ...request, request_id: 'request-3' }]]), 'approval_requests_action_key');
});

function pick(row: Row, columns: RegExp): Row {
  return Object.fromEntries(Object.entries(row).filter(([column]) => columns.test(column)));
}

async function refusalOf(pool: pg.Pool, changes: readonly Change[]): Promise<string | null> {
  return await transact(pool, async (client) => {
    for (const [kind, table, row] of changes) await (kind === 'insert' ? insertRow : updateRow)(client, table, row);
  });
}

async function transact(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<void>): Promise<string | null> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await work(client);
    await client.query('COMMIT');
    return null;
  } catch (error) {
    await client.query('ROLLBACK');
    assert.ok(error instanceof pg.DatabaseError && error.code?.startsWith('23'), String(error));
    return error.constraint ?? null;
  } finally {
    client.release();
  }
}
