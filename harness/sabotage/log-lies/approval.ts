import { CONTRACT_NAMES as NAMES, PROBE_NAMES } from '../../../evidence/contract-names.ts';
import { isProbe } from '../log-cast.ts';
import { alter, alterFirst, alterRows, copyFirst, dropRows, find, type Row } from '../log-edit.ts';
import type { Catch } from '../catch.ts';
import type { LogLie } from '../log-lie.ts';

const ofContract = (row: Row): boolean => row['authority_project_id'] === NAMES.projectId;
const audited = (action: string) => (row: Row): boolean => row['action'] === action;
const hourLater = (row: Row, column: string): number => Number(row[column]) + 3_600_000;

const PERSISTED = ['gates.strongUserPlanApprovalAndDispatchPersisted'] as const;
const REPLAYED = ['approvalExecution.executionReplayWithoutTokenRequest'] as const;

function inRows(name: string, pretends: string, table: string, matches: (row: Row) => boolean, change: (row: Row) => Row, caughtBy: readonly Catch[] = PERSISTED): LogLie {
  return { name, pretends, caughtBy, tell: ({ observations }) => ({ log: alterRows(table, matches, (row) => ({ ...row, ...change(row) }))(observations) }) };
}

/** Rows of one action of the probes that was carried out; `column` leads to its request. */
function withoutRowOfProbe(name: string, table: string, column: string): LogLie {
  return {
    name,
    pretends: 'what the probes delivered was approved and executed; this is left out of it',
    caughtBy: PERSISTED,
    tell: ({ observations }) => {
      const requests = find(observations, 'database.rows', (body) => body.table === 'approval_requests' && body.rows.length > 0).body.rows;
      const request = requests.find((row) => row['authority_project_id'] === PROBE_NAMES.projectId && row['state'] === 'consumed');
      return { log: dropRows(table, (row) => row[column] === request?.[column])(observations) };
    },
  };
}

const ofLive = (row: Row): boolean => NAMES.credentialIds.some((id) => id === row['credential_id']);

/** About what the database says of an action in several places: ledger, security audit, policy and clock. */
export const APPROVAL_LIES: readonly LogLie[] = [
  inRows('audit-of-another-decider', 'reviewer-b decided; the security audit says that the requester did', 'security_audit_events', audited('approval.decide'), () => ({ subject_id: NAMES.requester, authentication_id: `local-${NAMES.requester}` }), [...PERSISTED, 'approvalExecution.auditEvents']),
  inRows('audit-of-a-denied-decision', 'the decision was allowed; the security audit says that it was denied', 'security_audit_events', audited('approval.decide'), () => ({ outcome: 'denied' }), [...PERSISTED, 'approvalExecution.auditEvents']),
  inRows('audit-of-another-project', 'consumed in the contract’s project; the security audit has another one', 'security_audit_events', audited('approval.consume'), () => ({ project_id: 'another' }), PERSISTED),
  inRows('audit-with-a-password', 'the requester was strongly authenticated; the security audit says that a password was enough', 'security_audit_events', audited('approval.request'), () => ({ assurance: 'password' }), PERSISTED),
  inRows('audit-at-another-time', 'decided when the request says; the security audit has another instant', 'security_audit_events', audited('approval.decide'), (row) => ({ occurred_at_ms: Number(row['occurred_at_ms']) - 1 }), PERSISTED),
  inRows('decided-after-it-was-consumed', 'decided, then consumed; it was the other way round', 'approval_requests', ofContract, (row) => ({ decided_at_ms: Number(row['consumed_at_ms']) + 60 })),
  inRows('consumed-after-it-expired', 'the approval was used in its time; it had expired', 'approval_requests', ofContract, (row) => ({ expires_at_ms: Number(row['requested_at_ms']) - 1000 })),
  inRows('planned-after-all', 'planned first; the plan was made up an hour later', 'worker_credential_management_plans', ofContract, (row) => ({ planned_at_ms: hourLater(row, 'planned_at_ms') })),
  inRows('duties-not-separated', 'whoever asks cannot decide; the request did not ask for that', 'approval_requests', ofContract, () => ({ separation_of_duty: false })),
  inRows('decider-without-a-binding', 'the decider had a role in the project; it was revoked', 'project_role_bindings', (row) => row['subject_id'] === NAMES.decider, () => ({ state: 'revoked' })),
  inRows('decided-under-another-policy', 'the decider’s binding is the one in force; the request names another version', 'approval_requests', ofContract, () => ({ decided_binding_version: 7 })),
  inRows('plan-of-another-delivery', 'the plan is of what was delivered; it is of another generation', 'worker_credential_management_plans', ofContract, () => ({ deployment_generation: 'another' })),
  inRows('execution-of-another-action', 'the execution is of the approved action; it is of another one', 'approved_action_executions', () => true, () => ({ action_ref: 'live/other' })),
  inRows('executed-five-times', 'executed once; it was claimed five times', 'approved_action_executions', () => true, () => ({ attempt: 5 })),
  inRows('issued-by-a-stranger', 'the executor issued the credential; somebody else did', 'worker_credential_mutations', ofLive, () => ({ subject_id: 'stranger' })),
  inRows('revoked-without-a-record', 'credential and its record agree; the credential is active again', 'worker_credentials', (row) => row['credential_id'] === 'live_generation_2', () => ({ state: 'active', revoked_at_ms: null })),
  withoutRowOfProbe('probe-action-without-a-plan', 'worker_credential_management_plans', 'action_ref'),
  withoutRowOfProbe('probe-action-without-a-request', 'approval_requests', 'action_ref'),
  withoutRowOfProbe('probe-action-without-a-dispatch', 'approved_action_dispatches', 'dispatch_id'),
  withoutRowOfProbe('probe-action-without-an-execution', 'approved_action_executions', 'dispatch_id'),
  { name: 'probe-action-unaudited', pretends: 'each approval is in the security audit; those of the probes are not', caughtBy: PERSISTED, tell: ({ observations }) => ({ log: dropRows('security_audit_events', (row) => audited('approval.consume')(row) && row['project_id'] === PROBE_NAMES.projectId)(observations) }) },
  { name: 'refused-request-unaudited', pretends: 'a request is in the security audit, though nothing came of it; it is not', caughtBy: ['probes.self-approval'], tell: ({ observations }) => ({ log: dropRows('security_audit_events', (row) => row['resource_id'] === find(observations, 'probe.result', isProbe('self-approval')).body.facts['approvalRequestId'])(observations) }) },
  inRows('plan-that-expires-twice', 'a request repeats when its plan expires; it tells another time', 'approval_requests', () => true, (row) => ({ plan_expires_at_ms: hourLater(row, 'plan_expires_at_ms') }), [...PERSISTED, 'probes.self-approval', 'probes.revoked-binding']),
  { name: 'ledger-without-its-beginning', pretends: 'each delivery is told from its beginning; the first versions are left out', caughtBy: PERSISTED, tell: ({ observations }) => ({ log: dropRows('worker_credential_deliveries', (row) => row['version'] === 1 && row['worker_id'] === PROBE_NAMES.workerId)(observations) }) },
  inRows('ledger-of-another-token', 'a delivery is of one token from its beginning to its end; it ends with another', 'worker_credential_deliveries', (row) => Number(row['version']) >= 3, () => ({ token_digest: 'd'.repeat(64) })),
  inRows('ledger-that-goes-back', 'a delivery was observed, and its predecessor revoked; its last version says that it was published', 'worker_credential_deliveries', (row) => row['version'] === 4, () => ({ state: 'published' })),
  { name: 'revocation-left-out', pretends: 'the ledger is whole; that predecessors were revoked is left out', caughtBy: PERSISTED, tell: ({ observations }) => ({ log: dropRows('worker_credential_deliveries', (row) => row['state'] === 'previous_revoked')(observations) }) },
  inRows('revoked-for-another-delivery', 'a predecessor was revoked for its successor’s delivery; the record names another', 'worker_credential_mutations', (row) => row['operation'] === 'revoke', () => ({ delivery_id: 'c0ffee00-0000-4000-8000-0000000000dd' })),
  { name: 'observation-left-out', pretends: 'the ledger is whole; that a Worker went on with the credential is left out', caughtBy: PERSISTED, tell: ({ observations }) => ({ log: dropRows('worker_credential_deliveries', (row) => row['state'] === 'observed' && row['worker_id'] === PROBE_NAMES.workerId)(observations) }) },
  { name: 'fresh-action-existed-before', pretends: 'freshly executed; the executor says that it existed', caughtBy: REPLAYED, tell: ({ observations }) => ({ log: alterFirst('action.completed', ({ replay }) => !replay, (body) => ({ ...body, output: { ...body.output, executionStatus: 'existing', deliveryStatus: 'existing' } }))(observations) }) },
  { name: 'replay-delivered-again', pretends: 'the replay found everything done; it says that it published', caughtBy: REPLAYED, tell: ({ observations }) => ({ log: alterFirst('action.completed', ({ replay }) => replay, (body) => ({ ...body, output: { ...body.output, deliveryStatus: 'published' } }))(observations) }) },
  { name: 'another-delivery-told', pretends: 'the executor tells the delivery that the ledger has; it tells another', caughtBy: REPLAYED, tell: ({ observations }) => ({ log: alter('action.completed', () => true, (body) => ({ ...body, deliveryId: '0', credentialId: 'x' }))(observations) }) },
  { name: 'another-action-confirmed', pretends: 'each action was confirmed by its name; all the same one was', caughtBy: [...REPLAYED, 'approvalExecution.hostAuthorizationRechecks'], tell: ({ observations }) => ({ log: alter('action.authorization-confirmed', () => true, (body) => ({ ...body, actionRef: `live/${NAMES.credentialIds[0]}` }))(observations) }) },
  { name: 'generation-3-on-the-host', pretends: 'generation 3 was executed in the Job alone; the host tells of it too', caughtBy: REPLAYED, tell: ({ observations }) => ({ log: copyFirst('action.completed', () => true, (body) => ({ ...body, generation: 3 }))(observations) }) },
  { name: 'reviews-not-counted', pretends: 'the product counted the reviews that the API server logged; it counted none', caughtBy: ['rbac.allowedChecks', 'rbac.deniedChecks', 'rbac.issuerAllowedChecks', 'rbac.issuerDeniedChecks'], tell: ({ observations }) => ({ log: alter('action.token-session', () => true, (body) => ({ ...body, allowedChecks: 0, deniedChecks: 0, issuerAllowedChecks: 0, issuerDeniedChecks: 0 }))(observations) }) },
  { name: 'recovery-failed', pretends: 'recovery finished each delivery; one failed', caughtBy: ['approvalExecution.publishedDeliveries'], tell: ({ observations }) => ({ log: alter('action.recovery-session', () => true, (body) => ({ ...body, deliveries: body.deliveries.map((delivery) => ({ ...delivery, status: 'failed' })) }))(observations) }) },
  { name: 'recovery-of-nothing', pretends: 'recovery looked at each delivery; it tells of none', caughtBy: ['approvalExecution.publishedDeliveries'], tell: ({ observations }) => ({ log: alter('action.recovery-session', () => true, (body) => ({ ...body, deliveries: [] }))(observations) }) },
  { name: 'session-offers-a-handle', pretends: 'a session offers its operations alone; something lies beside them under a name that says nothing', caughtBy: ['rbac.tokenNeverReturnedBySession'], tell: ({ observations }) => ({ log: alter('probe.result', isProbe('disposed-client'), (body) => ({ ...body, facts: { ...body.facts, sessionMembers: [...(body.facts['sessionMembers'] as string[]), 'x'] } }))(observations) }) },
  { name: 'digest-of-an-expired-plan', pretends: 'a plan was refused for its digest; it had expired', caughtBy: ['probes.wrong-digest'], tell: ({ observations }) => ({ log: alter('probe.result', isProbe('wrong-digest'), (body) => ({ ...body, facts: { ...body.facts, actionRef: find(observations, 'probe.result', isProbe('expired-plan')).body.facts['actionRef'] ?? null } }))(observations) }) },
  { name: 'revoked-after-the-attempt', pretends: 'a user without a role was refused; the role was taken away later', caughtBy: ['probes.revoked-binding'], tell: ({ observations }) => ({ log: alterRows('project_role_bindings', (row) => row['state'] === 'revoked', (row) => ({ ...row, bound_at_ms: hourLater(row, 'bound_at_ms') }))(observations) }) },
  { name: 'revoked-without-ever-being-bound', pretends: 'a role was taken away; the user never had one', caughtBy: ['probes.revoked-binding'], tell: ({ observations }) => ({ log: dropRows('project_role_bindings', (row) => row['subject_id'] === PROBE_NAMES.revokedUser && row['state'] === 'active')(observations) }) },
  { name: 'refused-in-another-word', pretends: 'the attempt was refused; what is told to people is that it succeeded', caughtBy: ['probes.self-approval'], tell: ({ observations }) => ({ log: alter('probe.result', isProbe('self-approval'), (body) => ({ ...body, outcome: 'succeeded' }))(observations) }) },
  { name: 'lost-answer-of-nothing', pretends: 'the answer to a replace was lost; it was of an object that is never replaced', caughtBy: ['probes.lost-replace-response'], tell: ({ observations }) => ({ log: alter('probe.result', isProbe('lost-replace-response'), (body) => ({ ...body, facts: { ...body.facts, resource: 'pods' } }))(observations) }) },
  inRows('approved-by-themselves-elsewhere', 'whoever asks cannot decide, anywhere; of a probe’s action it was one and the same', 'approval_requests', (row) => row['authority_project_id'] !== NAMES.projectId && row['decided_by_id'] !== null, (row) => ({ decided_by_id: row['requested_by_id'] ?? null })),
  inRows('observed-by-nobody', 'a Worker was seen with the credential; nothing says which', 'worker_credential_deliveries', (row) => row['worker_id'] === NAMES.workerId, () => ({ observed_session_id: null, observed_at_ms: null, previous_revoked_at_ms: null })),
  inRows('completed-after-it-was-told', 'the execution had completed when its caller told so; the database says that it had not', 'approved_action_executions', (row) => row['state'] === 'succeeded', (row) => ({ completed_at_ms: Number(row['completed_at_ms']) + 400 }), REPLAYED),
  { name: 'conflict-of-another-delivery', pretends: 'the delivery that lost to a rival; it is another one', caughtBy: ['probes.competing-writer-secret'], tell: ({ observations }) => ({ log: alter('probe.result', isProbe('competing-writer-secret'), (body) => ({ ...body, facts: { ...body.facts, deliveryId: find(observations, 'probe.result', isProbe('lost-replace-response')).body.facts['deliveryId'] ?? null } }))(observations) }) },
];
