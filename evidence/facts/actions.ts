import { CONTRACT_NAMES } from '../contract-names.ts';
import type { Generation } from '../observation.ts';
import { groupBy } from './group-by.ts';
import { fact, type ObservedRun } from './observed-run.ts';
import { byVersion, numberIn, rowsOf, rowsWhere, textIn, type Row } from './rows.ts';
import { GENERATIONS } from './token-sessions.ts';

/** Everything the database knows of one credential action of the contract, found through its ids. */
export interface ActionChain {
  readonly generation: Generation;
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

const authorityRows = (run: ObservedRun, table: string): readonly Row[] => rowsWhere(rowsOf(run, table), 'authority_project_id', CONTRACT_NAMES.projectId);

export const plans = fact((run: ObservedRun) => authorityRows(run, 'worker_credential_management_plans'));
export const approvalRequests = fact((run: ObservedRun) => authorityRows(run, 'approval_requests'));

/** Dispatches and executions carry no project; they are the contract's when their request is. */
export const dispatches = fact((run: ObservedRun) => {
  const requestIds = new Set(approvalRequests(run).map((row) => textIn(row, 'request_id')));
  return rowsOf(run, 'approved_action_dispatches').filter((row) => requestIds.has(textIn(row, 'approval_request_id')));
});
export const executions = fact((run: ObservedRun) => {
  const dispatchIds = new Set(dispatches(run).map((row) => textIn(row, 'dispatch_id')));
  return rowsOf(run, 'approved_action_executions').filter((row) => dispatchIds.has(textIn(row, 'dispatch_id')));
});
export const credentials = fact((run: ObservedRun) => rowsWhere(rowsOf(run, 'worker_credentials'), 'worker_id', CONTRACT_NAMES.workerId));
export const deliveries = fact((run: ObservedRun) => rowsWhere(rowsOf(run, 'worker_credential_deliveries'), 'worker_id', CONTRACT_NAMES.workerId));

export const actionChains = fact((run: ObservedRun): readonly ActionChain[] => GENERATIONS.map((generation) => readChain(run, generation)));

function readChain(run: ObservedRun, generation: Generation): ActionChain {
  const credentialId = CONTRACT_NAMES.credentialIds[generation - 1] as string;
  const plan = only(rowsWhere(plans(run), 'credential_id', credentialId));
  const request = only(rowsWhere(approvalRequests(run), 'action_ref', textIn(plan, 'action_ref')));
  const dispatch = only(rowsWhere(dispatches(run), 'approval_request_id', textIn(request, 'request_id')));
  const execution = only(rowsWhere(executions(run), 'dispatch_id', textIn(dispatch, 'dispatch_id')));
  const mutations = rowsWhere(rowsOf(run, 'worker_credential_mutations'), 'credential_id', credentialId);
  const mutation = only(rowsWhere(mutations, 'operation', 'issue'));
  return {
    generation,
    plan,
    request,
    dispatch,
    execution,
    credential: only(rowsWhere(credentials(run), 'credential_id', credentialId)),
    mutation,
    revocation: only(rowsWhere(mutations, 'operation', 'revoke')),
    deliveries: byVersion(rowsWhere(deliveries(run), 'credential_id', credentialId)),
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

export function publishedRow(chain: ActionChain): Row | null {
  return chain.deliveries.find((row) => textIn(row, 'state') === 'published') ?? null;
}
