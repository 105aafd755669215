import { CONTRACT_NAMES, PROBE_NAMES } from '../contract-names.ts';
import type { Generation } from '../observation.ts';
import { groupBy } from './group-by.ts';
import { fact, type ObservedRun } from './observed-run.ts';
import { byVersion, numberIn, rowsOf, rowsWhere, textIn, type Row } from './rows.ts';
import { GENERATIONS } from './token-sessions.ts';

/** Everything the database knows of one credential action, found through its ids. */
export interface Action {
  readonly plan: Row | null;
  readonly request: Row | null;
  readonly dispatch: Row | null;
  readonly execution: Row | null;
  readonly credential: Row | null;
  /** Its issue. */
  readonly mutation: Row | null;
  /** Its revocation, once its successor was observed. */
  readonly revocation: Row | null;
  /** The delivery's ledger, by version. */
  readonly deliveries: readonly Row[];
  /** Audit rows that request, decision, consumption and issue name, and that say what these say. */
  readonly audits: readonly Row[];
}

/** One of the contract's. */
export interface ActionChain extends Action {
  readonly generation: Generation;
}

type Names = typeof CONTRACT_NAMES | typeof PROBE_NAMES;
const plansOf = (run: ObservedRun, { projectId }: Names): readonly Row[] => rowsWhere(rowsOf(run, 'worker_credential_management_plans'), 'authority_project_id', projectId);
const requestsOf = (run: ObservedRun, { projectId }: Names): readonly Row[] => rowsWhere(rowsOf(run, 'approval_requests'), 'authority_project_id', projectId);
const credentialsOf = (run: ObservedRun, { workerId }: Names): readonly Row[] => rowsWhere(rowsOf(run, 'worker_credentials'), 'worker_id', workerId);

export const plans = fact((run: ObservedRun) => plansOf(run, CONTRACT_NAMES));
export const approvalRequests = fact((run: ObservedRun) => requestsOf(run, CONTRACT_NAMES));

/** Dispatches and executions carry no project; they are the contract's when their request is. */
export const dispatches = fact((run: ObservedRun) => {
  const requestIds = new Set(approvalRequests(run).map((row) => textIn(row, 'request_id')));
  return rowsOf(run, 'approved_action_dispatches').filter((row) => requestIds.has(textIn(row, 'approval_request_id')));
});
export const executions = fact((run: ObservedRun) => {
  const dispatchIds = new Set(dispatches(run).map((row) => textIn(row, 'dispatch_id')));
  return rowsOf(run, 'approved_action_executions').filter((row) => dispatchIds.has(textIn(row, 'dispatch_id')));
});
export const credentials = fact((run: ObservedRun) => credentialsOf(run, CONTRACT_NAMES));
export const deliveries = fact((run: ObservedRun) => rowsWhere(rowsOf(run, 'worker_credential_deliveries'), 'worker_id', CONTRACT_NAMES.workerId));

export const actionChains = fact((run: ObservedRun): readonly ActionChain[] => GENERATIONS.map((generation) => ({ generation, ...readAction(run, CONTRACT_NAMES, CONTRACT_NAMES.credentialIds[generation - 1] as string) })));

/** What else was delivered, by credential: it is the probes'. */
export const otherActions = fact((run: ObservedRun): ReadonlyMap<string, Action> => {
  const credentialIds = new Set(rowsOf(run, 'worker_credential_deliveries').filter((row) => textIn(row, 'worker_id') !== CONTRACT_NAMES.workerId).map((row) => textIn(row, 'credential_id') ?? ''));
  return new Map([...credentialIds].map((credentialId) => [credentialId, readAction(run, PROBE_NAMES, credentialId)]));
});

function readAction(run: ObservedRun, names: Names, credentialId: string): Action {
  const plan = only(rowsWhere(plansOf(run, names), 'credential_id', credentialId));
  const request = only(rowsWhere(requestsOf(run, names), 'action_ref', textIn(plan, 'action_ref')));
  const dispatch = only(rowsWhere(rowsOf(run, 'approved_action_dispatches'), 'approval_request_id', textIn(request, 'request_id')));
  const execution = only(rowsWhere(rowsOf(run, 'approved_action_executions'), 'dispatch_id', textIn(dispatch, 'dispatch_id')));
  const mutations = rowsWhere(rowsOf(run, 'worker_credential_mutations'), 'credential_id', credentialId);
  const mutation = only(rowsWhere(mutations, 'operation', 'issue'));
  return {
    plan,
    request,
    dispatch,
    execution,
    credential: only(rowsWhere(credentialsOf(run, names), 'credential_id', credentialId)),
    mutation,
    revocation: only(rowsWhere(mutations, 'operation', 'revoke')),
    deliveries: byVersion(rowsWhere(rowsOf(run, 'worker_credential_deliveries'), 'credential_id', credentialId)),
    audits: [...APPROVAL_STEPS.map((step) => auditOfStep(run, request, step)), auditOfMutation(run, mutation)].filter((row) => row !== null),
  };
}

/** What is written into the security audit when a request is made, decided and consumed. */
const APPROVAL_STEPS = [
  { step: 'requested', action: 'approval.request', outcome: 'approval_required', subject_type: 'user' },
  { step: 'decided', action: 'approval.decide', outcome: 'allowed', subject_type: 'user' },
  { step: 'consumed', action: 'approval.consume', outcome: 'allowed', subject_type: 'system' },
] as const;

function auditOfStep(run: ObservedRun, request: Row | null, { step, ...fixed }: (typeof APPROVAL_STEPS)[number]): Row | null {
  return auditOf(run, textIn(request, `${step}_audit_event_id`), numberIn(request, `${step}_at_ms`), {
    ...fixed,
    subject_id: textIn(request, `${step}_by_id`),
    authentication_id: textIn(request, `${step}_authentication_id`),
    assurance: textIn(request, `${step}_assurance`),
    project_id: textIn(request, 'authority_project_id'),
    resource_type: 'approval_request',
    resource_id: textIn(request, 'request_id'),
  });
}

/** Whether each step that a request has taken is in the security audit as it says. */
export function isOnRecord(run: ObservedRun, request: Row): boolean {
  return APPROVAL_STEPS.every((step) => (request.columns[`${step.step}_at_ms`] ?? null) === null || auditOfStep(run, request, step) !== null);
}

/** The row in the security audit that says what a mutation of a credential says. */
export function auditOfMutation(run: ObservedRun, mutation: Row | null): Row | null {
  return auditOf(run, textIn(mutation, 'audit_event_id'), numberIn(mutation, 'mutated_at_ms'), {
    action: `worker_credential.${textIn(mutation, 'operation')}`,
    outcome: 'succeeded',
    subject_type: textIn(mutation, 'subject_type'),
    subject_id: textIn(mutation, 'subject_id'),
    authentication_id: textIn(mutation, 'authentication_id'),
    resource_type: 'worker_credential',
    resource_id: textIn(mutation, 'credential_id'),
  });
}

function auditOf(run: ObservedRun, eventId: string | null, atMs: number, said: Readonly<Record<string, string | null>>): Row | null {
  const row = eventId === null ? null : only(auditRowsById(run).get(eventId) ?? []);
  return row !== null && numberIn(row, 'occurred_at_ms') === atMs && Object.entries(said).every(([column, value]) => textIn(row, column) === value) ? row : null;
}

const auditRowsById = fact((run: ObservedRun) => groupBy(rowsOf(run, 'security_audit_events'), (row) => textIn(row, 'event_id')));

/** Two where one is expected are as bad as none: nothing could say which of them is meant. */
function only(rows: readonly Row[]): Row | null {
  return rows.length === 1 ? (rows[0] as Row) : null;
}

export function publishedRow(chain: Action): Row | null {
  return chain.deliveries.find((row) => textIn(row, 'state') === 'published') ?? null;
}
