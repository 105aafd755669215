import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type pg from 'pg';
import { ConstraintProbe } from './test-constraints.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';
import {
  BINDING, CREDENTIAL, DELIVERIES, DISCARDS, DISPATCH, EXECUTIONS, HISTORY, MUTATION, PLAN, PROJECT, REQUESTS, SESSIONS,
  auditEvent, hex, session, type Row,
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

const REVOKED: Row = { ...CREDENTIAL, version: 2, state: 'revoked', revoked_at_ms: 200 };

/** Every valid row, and every way in which one change makes it invalid, with the constraint that must say so. */
const TABLE: readonly { table: TableName; valid: readonly Row[]; broken: readonly [Row, Row, string][] }[] = [
  {
    table: 'schema_migrations',
    valid: [],
    broken: [
      [{ migration_id: '0011-x', checksum: hex('a'), applied_at_ms: 1 }, { migration_id: '11-x' }, 'schema_migrations_id_grammar'],
      [{ migration_id: '0011-x', checksum: hex('a'), applied_at_ms: 1 }, { checksum: 'A'.repeat(64) }, 'digest_grammar'],
    ],
  },
  {
    table: 'schema_capabilities',
    valid: [],
    broken: [[{ capability: 'x', contract_version: 1, migration_id: '0001-schema', advanced_at_ms: 1 }, { contract_version: 0 }, 'schema_capabilities_version_positive']],
  },
  {
    table: 'projects',
    valid: [PROJECT, { ...PROJECT, state: 'archived' }],
    broken: [
      [PROJECT, { version: 0 }, 'projects_version_positive'],
      [PROJECT, { state: 'gone' }, 'projects_state_known'],
      [PROJECT, { updated_at_ms: 0 }, 'projects_times'],
      [PROJECT, { project_id: '-x' }, 'name_grammar'],
      [PROJECT, { created_at_ms: -1 }, 'instant_ms_range'],
      [PROJECT, { updated_at_ms: '9007199254740992' }, 'instant_ms_range'],
    ],
  },
  {
    table: 'project_role_bindings',
    valid: [BINDING, { ...BINDING, version: 2, state: 'revoked' }],
    broken: [
      [BINDING, { version: 0 }, 'project_role_bindings_version_positive'],
      [BINDING, { subject_type: 'worker' }, 'project_role_bindings_subject_type_known'],
      [BINDING, { role: 'root' }, 'project_role_bindings_role_known'],
      [BINDING, { state: 'revoked' }, 'project_role_bindings_state'],
    ],
  },
  {
    table: 'security_audit_events',
    valid: [
      auditEvent(1),
      { ...auditEvent(1), subject_type: 'anonymous', subject_id: null, authentication_id: null, assurance: null, outcome: 'denied', reason_code: 'no_credential' },
      { ...auditEvent(1), resource_type: 'worker', resource_id: 'w', details: '{"status":401}' },
    ],
    broken: [
      [auditEvent(1), { event_id: session(1) }, 'uuid_v4_version'],
      [auditEvent(1), { action: 'Approval' }, 'security_audit_events_action_grammar'],
      [auditEvent(1), { action: 'approval' }, 'security_audit_events_action_grammar'],
      [auditEvent(1), { outcome: 'maybe' }, 'security_audit_events_outcome_known'],
      [auditEvent(1), { subject_type: 'anonymous', assurance: null }, 'security_audit_events_subject'],
      [auditEvent(1), { subject_id: null }, 'security_audit_events_subject'],
      [auditEvent(1), { subject_type: 'robot', assurance: null }, 'security_audit_events_subject'],
      [auditEvent(1), { subject_type: 'system' }, 'security_audit_events_assurance_of_users'],
      [auditEvent(1), { assurance: 'password' }, 'assurance_known'],
      [auditEvent(1), { resource_type: 'worker' }, 'security_audit_events_resource'],
      [auditEvent(1), { resource_id: 'w' }, 'security_audit_events_resource'],
      [auditEvent(1), { outcome: 'denied' }, 'security_audit_events_reason'],
      [auditEvent(1), { outcome: 'failed' }, 'security_audit_events_reason'],
      [auditEvent(1), { reason_code: 'Not OK' }, 'reason_code_grammar'],
      [auditEvent(1), { details: '[]' }, 'security_audit_events_details'],
      [auditEvent(1), { details: JSON.stringify({ text: 'x'.repeat(4_096) }) }, 'security_audit_events_details'],
    ],
  },
  {
    table: 'worker_credentials',
    valid: [CREDENTIAL, REVOKED],
    broken: [
      [CREDENTIAL, { state: 'revoked' }, 'worker_credentials_state'],
      [CREDENTIAL, { version: 2 }, 'worker_credentials_state'],
      [CREDENTIAL, { version: 3, state: 'revoked', revoked_at_ms: 200 }, 'worker_credentials_state'],
      [CREDENTIAL, { revoked_at_ms: 200 }, 'worker_credentials_state'],
      [REVOKED, { revoked_at_ms: null }, 'worker_credentials_state'],
      [REVOKED, { revoked_at_ms: 149 }, 'worker_credentials_times'],
      [CREDENTIAL, { expires_at_ms: 100 }, 'worker_credentials_lifetime'],
      [CREDENTIAL, { expires_at_ms: 149 }, 'worker_credentials_lifetime'],
      [CREDENTIAL, { expires_at_ms: 100 + 730 * 86_400_000 + 1 }, 'worker_credentials_lifetime'],
      [CREDENTIAL, { credential_id: 'x'.repeat(65) }, 'credential_id_grammar'],
      [CREDENTIAL, { secret_digest: 'a' }, 'digest_grammar'],
    ],
  },
  {
    table: 'worker_credential_mutations',
    valid: [MUTATION, { ...MUTATION, credential_version: 2, operation: 'revoke', delivery_id: null }],
    broken: [
      [MUTATION, { operation: 'revoke' }, 'worker_credential_mutations_operation'],
      [MUTATION, { credential_version: 2 }, 'worker_credential_mutations_operation'],
      [MUTATION, { credential_version: 3, operation: 'revoke' }, 'worker_credential_mutations_operation'],
      [MUTATION, { delivery_id: null }, 'worker_credential_mutations_operation'],
      [MUTATION, { subject_type: 'worker' }, 'worker_credential_mutations_subject_type_known'],
    ],
  },
  {
    table: 'worker_credential_deliveries',
    valid: [...DELIVERIES, ...DELIVERIES.slice(0, 3).map((row) => ({ ...row, previous_credential_id: null }))],
    broken: [
      ...stateMatrix(DELIVERIES, ['published_at_ms', 'publication_digest', 'observed_at_ms', 'observed_session_id', 'observed_session_version', 'previous_revoked_at_ms'], DELIVERIES[3]!, 'worker_credential_deliveries_state'),
      [DELIVERIES[0]!, { version: 0 }, 'worker_credential_deliveries_state'],
      [DELIVERIES[3]!, { version: 5 }, 'worker_credential_deliveries_state'],
      [DELIVERIES[0]!, { state: 'published' }, 'worker_credential_deliveries_state'],
      [DELIVERIES[3]!, { previous_credential_id: null }, 'worker_credential_deliveries_state'],
      [DELIVERIES[0]!, { previous_credential_id: 'credential-2' }, 'worker_credential_deliveries_predecessor'],
      [DELIVERIES[0]!, { credential_version: 2 }, 'worker_credential_deliveries_credential_version'],
      [DELIVERIES[3]!, { staged_at_ms: 151 }, 'worker_credential_deliveries_times'],
      [DELIVERIES[3]!, { credential_committed_at_ms: 161 }, 'worker_credential_deliveries_times'],
      [DELIVERIES[3]!, { published_at_ms: 171 }, 'worker_credential_deliveries_times'],
      [DELIVERIES[3]!, { observed_at_ms: 181 }, 'worker_credential_deliveries_times'],
      [DELIVERIES[2]!, { observed_session_version: -1 }, 'worker_credential_deliveries_session_version'],
      [DELIVERIES[2]!, { observed_session_id: '00000000-0000-4000-8000-000000000001' }, 'session_id_version'],
    ],
  },
  {
    table: 'worker_credential_stage_discards',
    valid: DISCARDS,
    broken: [
      [DISCARDS[0]!, { version: 2 }, 'worker_credential_stage_discards_state'],
      [DISCARDS[0]!, { state: 'discarded' }, 'worker_credential_stage_discards_state'],
      [DISCARDS[0]!, { discarded_at_ms: 160 }, 'worker_credential_stage_discards_state'],
      [DISCARDS[1]!, { discarded_at_ms: null }, 'worker_credential_stage_discards_state'],
      [DISCARDS[1]!, { version: 3 }, 'worker_credential_stage_discards_state'],
      [DISCARDS[1]!, { discarded_at_ms: 149 }, 'worker_credential_stage_discards_times'],
      [DISCARDS[0]!, { previous_credential_id: 'credential-2' }, 'worker_credential_stage_discards_predecessor'],
      [DISCARDS[0]!, { credential_version: 2 }, 'worker_credential_stage_discards_credential_version'],
    ],
  },
  {
    table: 'worker_session_history',
    valid: [...Object.values(HISTORY), { ...HISTORY.registered, version: 3, generation: 2, session_id: session(2), replaced_session_id: session(1) }],
    broken: [
      [HISTORY.registered, { status: 'draining', available_slots: 0 }, 'worker_session_history_reason'],
      [HISTORY.heartbeat, { status: 'offline', available_slots: 0, lease_expires_at_ms: 1 }, 'worker_session_history_reason'],
      [HISTORY.draining, { status: 'online' }, 'worker_session_history_reason'],
      [HISTORY.offline, { status: 'online', lease_expires_at_ms: 500 }, 'worker_session_history_reason'],
      [HISTORY.heartbeat, { reason: 'because' }, 'worker_session_history_reason'],
      [HISTORY.registered, { generation: 2 }, 'worker_session_history_generation_range'],
      [HISTORY.registered, { generation: 0 }, 'worker_session_history_generation_range'],
      [HISTORY.registered, { version: -1 }, 'worker_session_history_version_range'],
      [HISTORY.registered, { replaced_session_id: session(2) }, 'worker_session_history_replaced'],
      [HISTORY.registered, { version: 3, generation: 2 }, 'worker_session_history_replaced'],
      [HISTORY.registered, { version: 3, generation: 2, replaced_session_id: session(1) }, 'worker_session_history_replaced'],
      [HISTORY.draining, { available_slots: 1 }, 'worker_session_history_slots'],
      [HISTORY.registered, { available_slots: -1 }, 'worker_session_history_slots'],
      [HISTORY.heartbeat, { lease_expires_at_ms: 170 }, 'worker_session_history_lease'],
      [HISTORY.offline, { lease_expires_at_ms: 191 }, 'worker_session_history_lease'],
      [HISTORY.registered, { client_certificate_serial: '0x0A' }, 'worker_session_history_serial_grammar'],
      [HISTORY.registered, { client_certificate_sha256: 'e' }, 'digest_grammar'],
    ],
  },
  {
    table: 'worker_sessions',
    valid: [...Object.values(SESSIONS), { ...SESSIONS.offline, draining_at_ms: null }],
    broken: [
      [SESSIONS.online, { status: 'away' }, 'worker_sessions_slots'],
      [SESSIONS.online, { status: 'away', available_slots: 0 }, 'worker_sessions_state'],
      [SESSIONS.online, { draining_at_ms: 180 }, 'worker_sessions_state'],
      [SESSIONS.online, { offline_at_ms: 20_000 }, 'worker_sessions_state'],
      [SESSIONS.draining, { draining_at_ms: null }, 'worker_sessions_state'],
      [SESSIONS.draining, { offline_at_ms: 20_000 }, 'worker_sessions_state'],
      [SESSIONS.offline, { offline_at_ms: null }, 'worker_sessions_state'],
      [SESSIONS.offline, { lease_expires_at_ms: 191 }, 'worker_sessions_state'],
      [SESSIONS.draining, { available_slots: 1 }, 'worker_sessions_slots'],
      [SESSIONS.offline, { available_slots: 1 }, 'worker_sessions_slots'],
      [SESSIONS.online, { available_slots: 3 }, 'worker_sessions_slots'],
      [SESSIONS.online, { max_concurrent_runs: 1_025 }, 'worker_sessions_slots'],
      [SESSIONS.online, { max_concurrent_runs: 0, available_slots: 0 }, 'worker_sessions_slots'],
      [SESSIONS.online, { lease_duration_ms: 4_999 }, 'worker_sessions_lease_duration'],
      [SESSIONS.online, { lease_duration_ms: 600_001 }, 'worker_sessions_lease_duration'],
      [SESSIONS.online, { capabilities_json: '{ }' }, 'worker_sessions_capabilities'],
      [SESSIONS.online, { lease_expires_at_ms: 164 }, 'worker_sessions_times'],
      [SESSIONS.online, { last_heartbeat_at_ms: 164 }, 'worker_sessions_times'],
      [SESSIONS.draining, { draining_at_ms: 164 }, 'worker_sessions_times'],
      [SESSIONS.offline, { offline_at_ms: 179, lease_expires_at_ms: 179 }, 'worker_sessions_times'],
    ],
  },
  {
    table: 'worker_credential_management_plans',
    valid: [PLAN, { ...PLAN, action: 'issue', previous_credential_id: null }],
    broken: [
      [PLAN, { action: 'issue' }, 'worker_credential_management_plans_action'],
      [PLAN, { action: 'revoke' }, 'worker_credential_management_plans_action'],
      [PLAN, { previous_credential_id: null }, 'worker_credential_management_plans_action'],
      [PLAN, { previous_credential_id: 'credential-2' }, 'worker_credential_management_plans_action'],
      [PLAN, { expires_at_ms: 10 }, 'worker_credential_management_plans_life'],
      [PLAN, { expires_at_ms: 900_011 }, 'worker_credential_management_plans_life'],
      [PLAN, { credential_expires_at_ms: 100 }, 'worker_credential_management_plans_credential_life'],
      [PLAN, { credential_expires_at_ms: 100 + 730 * 86_400_000 + 1 }, 'worker_credential_management_plans_credential_life'],
      [PLAN, { action_ref: '/x' }, 'action_ref_grammar'],
    ],
  },
  {
    table: 'approval_requests',
    valid: Object.values(REQUESTS),
    broken: [
      ...requestMatrix(),
      [REQUESTS.pending, { version: 2 }, 'approval_requests_state'],
      [REQUESTS.pending, { state: 'approved' }, 'approval_requests_state'],
      [REQUESTS.approved, { state: 'pending' }, 'approval_requests_state'],
      [REQUESTS.approved, { state: 'rejected' }, 'approval_requests_state'],
      [REQUESTS.rejected, { state: 'approved' }, 'approval_requests_state'],
      [REQUESTS.rejected, { state: 'consumed', version: 3 }, 'approval_requests_state'],
      [REQUESTS.consumed, { decision: 'rejected' }, 'approval_requests_state'],
      [REQUESTS.consumed, { version: 4 }, 'approval_requests_state'],
      [REQUESTS.pending, { permission: 'worker.read' }, 'approval_requests_action'],
      [REQUESTS.pending, { action_type: 'worker_credential.delivery.revoke' }, 'approval_requests_action'],
      [REQUESTS.pending, { risk: 'low' }, 'approval_requests_high_risk'],
      [REQUESTS.pending, { separation_of_duty: false }, 'approval_requests_high_risk'],
      [REQUESTS.approved, { decided_by_id: 'operator-a' }, 'approval_requests_separation_of_duty'],
      [REQUESTS.rejected, { decided_by_id: 'operator-a' }, 'approval_requests_separation_of_duty'],
      [REQUESTS.pending, { requested_assurance: 'single_factor' }, 'strong_assurance_known'],
      [REQUESTS.approved, { decided_assurance: 'single_factor' }, 'strong_assurance_known'],
      [REQUESTS.pending, { requested_binding_version: 0 }, 'approval_requests_fences'],
      [REQUESTS.approved, { decided_project_version: 0 }, 'approval_requests_fences'],
      [REQUESTS.consumed, { consumed_binding_version: 0 }, 'approval_requests_fences'],
      [REQUESTS.pending, { expires_at_ms: 20 }, 'approval_requests_life'],
      [REQUESTS.pending, { expires_at_ms: 1_001 }, 'approval_requests_life'],
      [REQUESTS.pending, { expires_at_ms: 900_021, plan_expires_at_ms: 1_000_000 }, 'approval_requests_life'],
      [REQUESTS.approved, { decided_at_ms: 19 }, 'approval_requests_times'],
      [REQUESTS.approved, { decided_at_ms: 900 }, 'approval_requests_times'],
      [REQUESTS.consumed, { consumed_at_ms: 29 }, 'approval_requests_times'],
      [REQUESTS.consumed, { consumed_at_ms: 900 }, 'approval_requests_times'],
    ],
  },
  { table: 'approved_action_dispatches', valid: [DISPATCH], broken: [[DISPATCH, { action_digest: 'x' }, 'digest_grammar']] },
  {
    table: 'approved_action_executions',
    valid: [
      ...Object.values(EXECUTIONS),
      { ...EXECUTIONS.failed, started_at_ms: null },
      { ...EXECUTIONS.blocked, attempt: 1, claimed_at_ms: 50 },
    ],
    broken: [
      ...executionMatrix(),
      [EXECUTIONS.pending, { version: 2 }, 'approved_action_executions_state'],
      [EXECUTIONS.pending, { attempt: 1 }, 'approved_action_executions_state'],
      [EXECUTIONS.pending, { state: 'done' }, 'approved_action_executions_state'],
      [EXECUTIONS.pending, { attempt: -1 }, 'approved_action_executions_state'],
      [EXECUTIONS.leased, { attempt: 0 }, 'approved_action_executions_state'],
      [EXECUTIONS.leased, { version: 0 }, 'approved_action_executions_version_positive'],
      [EXECUTIONS.leased, { claimed_at_ms: 39 }, 'approved_action_executions_times'],
      [EXECUTIONS.leased, { lease_expires_at_ms: 50 }, 'approved_action_executions_times'],
      [EXECUTIONS.executing, { started_at_ms: 49 }, 'approved_action_executions_times'],
      [EXECUTIONS.executing, { lease_expires_at_ms: 51 }, 'approved_action_executions_times'],
      [EXECUTIONS.succeeded, { completed_at_ms: 50 }, 'approved_action_executions_times'],
      [EXECUTIONS.failed, { completed_at_ms: 50 }, 'approved_action_executions_times'],
      [EXECUTIONS.blocked, { completed_at_ms: 39 }, 'approved_action_executions_times'],
      [EXECUTIONS.retry_wait, { retry_at_ms: 49 }, 'approved_action_executions_times'],
    ],
  },
];

for (const { table, valid, broken } of TABLE) {
  test(`${table}: every valid row is accepted`, async () => {
    for (const row of valid) assert.equal(await probe.checkOf(table, row), null, JSON.stringify(row));
  });

  test(`${table}: ${broken.length} rows with one fault are refused, each by its constraint`, async () => {
    for (const [row, change, constraint] of broken) {
      // Where several constraints refuse a row, the server names the first in the order of the alphabet.
      assert.equal(await probe.checkOf(table, { ...row, ...change }), constraint, JSON.stringify(change));
    }
  });
}

/** Each nullable column of each state, turned from a value to null or from null to the value that it has in the last state. */
function stateMatrix(rows: readonly Row[], columns: readonly string[], complete: Row, constraint: string): [Row, Row, string][] {
  return rows.flatMap((row) =>
    columns.map((column): [Row, Row, string] => [row, { [column]: row[column] === null ? complete[column] : null }, constraint]),
  );
}

function requestMatrix(): [Row, Row, string][] {
  const groups = ['decision_id', 'decision', 'decision_reason_code', 'decided_by_id', 'decided_authentication_id', 'decided_assurance', 'decided_project_version', 'decided_binding_version', 'decided_audit_event_id', 'decided_at_ms'];
  const consumption = ['consumption_id', 'dispatch_id', 'consumed_by_id', 'consumed_authentication_id', 'consumed_project_version', 'consumed_binding_version', 'consumed_audit_event_id', 'consumed_at_ms'];
  return [
    ...stateMatrix(Object.values(REQUESTS), groups, REQUESTS.consumed, 'approval_requests_decision'),
    ...stateMatrix(Object.values(REQUESTS), consumption, REQUESTS.consumed, 'approval_requests_consumption'),
  ];
}

function executionMatrix(): [Row, Row, string][] {
  const complete: Row = { ...EXECUTIONS.succeeded, ...EXECUTIONS.executing, ...pick(EXECUTIONS.succeeded, ['completed_at_ms', 'result_code', 'result_digest']), ...pick(EXECUTIONS.retry_wait, ['retry_at_ms', 'reason_code']) };
  const columns = ['lease_token', 'lease_expires_at_ms', 'claimed_at_ms', 'started_at_ms', 'retry_at_ms', 'completed_at_ms', 'result_code', 'result_digest', 'reason_code'];
  const optional: Readonly<Record<string, readonly string[]>> = { failed: ['started_at_ms'], blocked: ['claimed_at_ms'] };
  return Object.values(EXECUTIONS).flatMap((row: Row) =>
    stateMatrix([row], columns.filter((column) => !optional[String(row['state'])]?.includes(column)), complete, 'approved_action_executions_state'),
  );
}

function pick(row: Row, columns: readonly string[]): Row {
  return Object.fromEntries(columns.map((column) => [column, row[column]]));
}
