import type pg from 'pg';
import type { TableName } from './privileges.ts';

/** For tests alone: one valid row per table and state, to be taken and broken in exactly one place. */
export type Row = Readonly<Record<string, unknown>>;

export const hex = (digit: string): string => digit.repeat(64);
export const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
export const session = (n: number): string => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`;

export const PROJECT: Row = { project_id: 'cluster-authority', version: 1, state: 'active', created_at_ms: 1, updated_at_ms: 1 };

export const BINDING: Row = {
  project_id: 'cluster-authority', subject_type: 'user', subject_id: 'operator-a', version: 1, role: 'operator', state: 'active', bound_at_ms: 1,
}; // prettier-ignore

export const auditEvent = (n: number): Row => ({
  event_id: uuid(n), occurred_at_ms: 1, action: 'approval.request', outcome: 'approval_required', subject_type: 'user',
  subject_id: 'operator-a', authentication_id: 'authentication-1', assurance: 'multi_factor',
}); // prettier-ignore

export const CREDENTIAL: Row = {
  credential_id: 'credential-2', worker_id: 'worker-1', version: 1, state: 'active', secret_digest: hex('5'),
  not_before_at_ms: 100, expires_at_ms: 10_000, issued_at_ms: 150, revoked_at_ms: null,
}; // prettier-ignore
export const PREVIOUS_CREDENTIAL: Row = { ...CREDENTIAL, credential_id: 'credential-1', secret_digest: hex('4') };

export const MUTATION: Row = {
  mutation_id: uuid(70), credential_id: 'credential-2', credential_version: 1, operation: 'issue', worker_id: 'worker-1',
  delivery_id: uuid(9), subject_type: 'system', subject_id: 'cluster_worker_credential_executor',
  authentication_id: 'cluster_worker_credential_executor_v1', audit_event_id: uuid(4), mutated_at_ms: 150,
}; // prettier-ignore

const DELIVERY: Row = {
  delivery_id: uuid(9), version: 1, state: 'credential_committed', worker_id: 'worker-1', credential_id: 'credential-2',
  credential_version: 1, previous_credential_id: 'credential-1', secret_digest: hex('5'), token_digest: hex('6'),
  deployment_target_digest: hex('7'), deployment_generation: 'generation-2', staged_at_ms: 140, credential_committed_at_ms: 150,
  published_at_ms: null, publication_digest: null, observed_at_ms: null, observed_session_id: null,
  observed_session_version: null, previous_revoked_at_ms: null,
}; // prettier-ignore
const PUBLISHED: Row = { ...DELIVERY, version: 2, state: 'published', published_at_ms: 160, publication_digest: hex('8') };
const OBSERVED: Row = {
  ...PUBLISHED, version: 3, state: 'observed', observed_at_ms: 170, observed_session_id: session(1), observed_session_version: 1,
}; // prettier-ignore
export const DELIVERIES: readonly Row[] = [
  DELIVERY, PUBLISHED, OBSERVED, { ...OBSERVED, version: 4, state: 'previous_revoked', previous_revoked_at_ms: 180 },
]; // prettier-ignore

const DISCARD: Row = {
  delivery_id: uuid(9), token_digest: hex('6'), version: 1, state: 'discard_authorized', worker_id: 'worker-1',
  credential_id: 'credential-2', credential_version: 1, previous_credential_id: 'credential-1', secret_digest: hex('5'),
  deployment_target_digest: hex('7'), deployment_generation: 'generation-2', staged_at_ms: 140,
  discard_authorized_at_ms: 150, discarded_at_ms: null,
}; // prettier-ignore
export const DISCARDS: readonly Row[] = [DISCARD, { ...DISCARD, version: 2, state: 'discarded', discarded_at_ms: 160 }];

export const PLAN: Row = {
  action_ref: 'live/rotate-2', authority_project_id: 'cluster-authority', action: 'rotate', delivery_id: uuid(9), worker_id: 'worker-1',
  credential_id: 'credential-2', previous_credential_id: 'credential-1', credential_not_before_at_ms: 100,
  credential_expires_at_ms: 10_000, deployment_target_digest: hex('7'), deployment_generation: 'generation-2',
  requested_by_id: 'operator-a', planned_at_ms: 10, expires_at_ms: 1_000, plan_digest: hex('b'), preview_digest: hex('c'),
}; // prettier-ignore

const PENDING: Row = {
  request_id: 'request-1', version: 1, state: 'pending', authority_project_id: 'cluster-authority', permission: 'worker.manage',
  action_type: 'worker_credential.delivery.rotate', action_ref: 'live/rotate-2', action_digest: hex('b'), preview_digest: hex('c'),
  plan_expires_at_ms: 1_000, risk: 'high', separation_of_duty: true, requested_by_id: 'operator-a',
  requested_authentication_id: 'authentication-1', requested_assurance: 'multi_factor', requested_project_version: 1,
  requested_binding_version: 1, requested_audit_event_id: uuid(1), requested_at_ms: 20, expires_at_ms: 900,
  decision_id: null, decision: null, decision_reason_code: null, decided_by_id: null, decided_authentication_id: null,
  decided_assurance: null, decided_project_version: null, decided_binding_version: null, decided_audit_event_id: null, decided_at_ms: null,
  consumption_id: null, dispatch_id: null, consumed_by_id: null, consumed_authentication_id: null, consumed_project_version: null,
  consumed_binding_version: null, consumed_audit_event_id: null, consumed_at_ms: null,
}; // prettier-ignore
const APPROVED: Row = {
  ...PENDING, version: 2, state: 'approved', decision_id: 'decision-1', decision: 'approved', decision_reason_code: 'reviewed',
  decided_by_id: 'operator-b', decided_authentication_id: 'authentication-2', decided_assurance: 'hardware',
  decided_project_version: 1, decided_binding_version: 1, decided_audit_event_id: uuid(2), decided_at_ms: 30,
}; // prettier-ignore
export const REQUESTS = {
  pending: PENDING,
  approved: APPROVED,
  rejected: { ...APPROVED, state: 'rejected', decision: 'rejected' },
  consumed: {
    ...APPROVED, version: 3, state: 'consumed', consumption_id: 'consumption-1', dispatch_id: 'dispatch-1',
    consumed_by_id: 'cluster_worker_credential_executor', consumed_authentication_id: 'cluster_worker_credential_executor_v1',
    consumed_project_version: 1, consumed_binding_version: 1, consumed_audit_event_id: uuid(3), consumed_at_ms: 40,
  }, // prettier-ignore
} as const satisfies Record<string, Row>;

export const DISPATCH: Row = {
  dispatch_id: 'dispatch-1', approval_request_id: 'request-1', consumption_id: 'consumption-1',
  action_type: 'worker_credential.delivery.rotate', action_ref: 'live/rotate-2', action_digest: hex('b'), preview_digest: hex('c'),
  dispatched_by_id: 'cluster_worker_credential_executor', dispatched_at_ms: 40,
}; // prettier-ignore

const EXECUTION: Row = {
  dispatch_id: 'dispatch-1', action_ref: 'live/rotate-2', version: 1, state: 'pending', attempt: 0, lease_token: null,
  lease_expires_at_ms: null, created_at_ms: 40, claimed_at_ms: null, started_at_ms: null, retry_at_ms: null, completed_at_ms: null,
  result_code: null, result_digest: null, reason_code: null,
}; // prettier-ignore
const LEASED: Row = { ...EXECUTION, version: 2, state: 'leased', attempt: 1, lease_token: 'consumption-1', lease_expires_at_ms: 600, claimed_at_ms: 50 };
const EXECUTING: Row = { ...LEASED, version: 3, state: 'executing', started_at_ms: 51 };
export const EXECUTIONS = {
  pending: EXECUTION,
  leased: LEASED,
  executing: EXECUTING,
  succeeded: {
    ...EXECUTING, version: 4, state: 'succeeded', lease_token: null, lease_expires_at_ms: null, completed_at_ms: 60,
    result_code: 'worker_credential_published', result_digest: hex('d'),
  }, // prettier-ignore
  failed: { ...EXECUTING, version: 4, state: 'failed', lease_token: null, lease_expires_at_ms: null, completed_at_ms: 60, reason_code: 'stage_discarded' },
  blocked: { ...EXECUTION, version: 2, state: 'blocked', completed_at_ms: 60, reason_code: 'policy_changed' },
  retry_wait: { ...EXECUTION, version: 3, state: 'retry_wait', attempt: 1, claimed_at_ms: 50, retry_at_ms: 70, reason_code: 'unavailable' },
} as const satisfies Record<string, Row>;

const ONLINE: Row = {
  worker_id: 'worker-1', session_id: session(1), generation: 1, version: 0, status: 'online', capabilities_json: '{}',
  capabilities_hash: '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a', max_concurrent_runs: 2, available_slots: 2,
  lease_duration_ms: 15_000, lease_expires_at_ms: 15_165, registered_at_ms: 165, last_heartbeat_at_ms: null, draining_at_ms: null,
  offline_at_ms: null,
}; // prettier-ignore
export const SESSIONS = {
  online: ONLINE,
  draining: { ...ONLINE, version: 1, status: 'draining', available_slots: 0, draining_at_ms: 180 },
  offline: { ...ONLINE, version: 2, status: 'offline', available_slots: 0, draining_at_ms: 180, offline_at_ms: 190, lease_expires_at_ms: 190 },
} as const satisfies Record<string, Row>;

const REGISTERED: Row = {
  worker_id: 'worker-1', version: 0, session_id: session(1), generation: 1, status: 'online', reason: 'registered', replaced_session_id: null,
  available_slots: 2, lease_expires_at_ms: 15_165, credential_id: 'credential-2', client_certificate_sha256: hex('e'),
  client_certificate_serial: '0A', recorded_at_ms: 165,
}; // prettier-ignore
export const HISTORY = {
  registered: REGISTERED,
  heartbeat: { ...REGISTERED, version: 1, reason: 'heartbeat', recorded_at_ms: 170, lease_expires_at_ms: 15_170 },
  draining: { ...REGISTERED, version: 1, status: 'draining', reason: 'draining', available_slots: 0, recorded_at_ms: 180 },
  offline: { ...REGISTERED, version: 2, status: 'offline', reason: 'offline', available_slots: 0, recorded_at_ms: 190, lease_expires_at_ms: 190 },
} as const satisfies Record<string, Row>;

type Client = Pick<pg.ClientBase, 'query'>;

export async function insertRow(client: Client, table: TableName, row: Row): Promise<void> {
  const columns = Object.keys(row);
  const parameters = columns.map((_, index) => `$${index + 1}`);
  await client.query(`INSERT INTO ql3.${table} (${columns.join(', ')}) VALUES (${parameters.join(', ')})`, Object.values(row));
}

/** Sets every column of the only row of the table. */
export async function updateRow(client: Client, table: TableName, row: Row): Promise<void> {
  const assignments = Object.keys(row).map((column, index) => `${column} = $${index + 1}`);
  await client.query(`UPDATE ql3.${table} SET ${assignments.join(', ')}`, Object.values(row));
}
