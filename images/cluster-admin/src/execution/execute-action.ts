import type { DeliveryRecord } from '../../../core/delivery-record.ts';
import type { ExecutionCommand } from '../../../core/execution.ts';
import type { ManagementPlan } from '../../../core/management-plan.ts';
import type { Database } from '../../../postgres/connection.ts';
import { isCredentialActive } from '../../../postgres/repositories/credential-ledger.ts';
import { findDelivery } from '../../../postgres/repositories/delivery-ledger.ts';
import { inTransaction, type Transaction } from '../../../postgres/transaction.ts';
import { issueCredential } from '../issuing/credential-issuer.ts';
import { differenceFromPlan, type IssueEvent, type IssueOutcome, type IssueStatus } from '../issuing/issue-request.ts';
import { readDatabaseNow } from '../management/database-now.ts';
import type { TokenRequestEvidence, TokenRequestSession } from '../token-request/token-request-session.ts';
import { consumeApproval } from './consume-approval.ts';
import { ExecutionError } from './execution-error.ts';
import { claim, requireExecution, requireResult, resultDigestOf, start, succeed } from './execution-progress.ts';

export type ExecutionEvent =
  | IssueEvent
  | { readonly event: 'approval_consumed'; readonly approvalRequestId: string; readonly dispatchId: string; readonly consumedAtMs: number }
  | { readonly event: 'execution_started'; readonly dispatchId: string };

/** What is asked of the caller, twice for a fresh execution and once for a replay. */
export interface AuthorizationQuestion {
  readonly purpose: 'before_execution' | 'before_authority';
  readonly actionRef: string;
  readonly approvalRequestId: string;
  readonly dispatchId: string;
}

export interface ExecutionParts {
  /** As ql3_worker_credential_executor. */
  readonly database: Database;
  readonly session: TokenRequestSession;
  readonly targetDigest: string;
  readonly pepper: Buffer;
  /** Throws when the caller does not stand by the command any more. */
  readonly confirmAuthorization: (question: AuthorizationQuestion) => Promise<void>;
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: ExecutionEvent) => void;
}

export interface ExecutionOutcome {
  readonly actionRef: string;
  readonly dispatchId: string;
  readonly executionStatus: 'succeeded' | 'existing';
  readonly deliveryStatus: IssueStatus;
  readonly tokenRequestUsed: boolean;
  readonly deliveryId: string;
  readonly credentialId: string;
  readonly publicationDigest: string;
  readonly resultDigest: string;
  /** The reviews of the TokenRequest session, null when none was needed. */
  readonly tokenRequest: TokenRequestEvidence | null;
}

/**
 * Executes one approved action. The approval is consumed before any authority is
 * obtained; a command that has succeeded before is answered from the database alone.
 */
export async function executeAction(parts: ExecutionParts, command: ExecutionCommand): Promise<ExecutionOutcome> {
  const plan = await consume(parts, command);
  const done = await findSucceeded(parts, command, plan);
  if (done !== null) return done;
  await requireOpenWindows(parts, plan);
  parts.signal?.throwIfAborted();
  await parts.confirmAuthorization(question('before_authority', command));
  await claim(parts.database, command.dispatchId, command.consumptionId);
  await start(parts.database, command.dispatchId, command.consumptionId);
  parts.onEvent?.({ event: 'execution_started', dispatchId: command.dispatchId });
  const { issued, evidence } = await issue(parts, command, plan);
  return complete(parts, command, plan, issued, evidence);
}

export function question(purpose: AuthorizationQuestion['purpose'], command: ExecutionCommand): AuthorizationQuestion {
  const { actionRef, approvalRequestId, dispatchId } = command;
  return { purpose, actionRef, approvalRequestId, dispatchId };
}

async function consume(parts: ExecutionParts, command: ExecutionCommand): Promise<ManagementPlan> {
  const { plan, approval, fresh } = await inTransaction(parts.database, (sql) => consumeApproval(sql, command, parts.targetDigest));
  const { approvalRequestId, dispatchId } = command;
  if (fresh) parts.onEvent?.({ event: 'approval_consumed', approvalRequestId, dispatchId, consumedAtMs: approval.consumption!.consumedAtMs });
  return plan;
}

async function findSucceeded(parts: ExecutionParts, command: ExecutionCommand, plan: ManagementPlan): Promise<ExecutionOutcome | null> {
  return inTransaction(parts.database, async (sql) => {
    const execution = await requireExecution(sql, command.dispatchId);
    if (execution.state === 'failed' || execution.state === 'blocked') {
      throw new ExecutionError('execution_ended', `execution ${command.dispatchId} is ${execution.state} (${execution.reasonCode}): make a new plan`);
    }
    if (execution.state !== 'succeeded') return null;
    const record = await requirePublished(sql, plan);
    const resultDigest = resultDigestOf(record);
    requireResult(execution, resultDigest);
    return toOutcome(command, record, { executionStatus: 'existing', deliveryStatus: 'existing', resultDigest, tokenRequest: null });
  });
}

/** The approval had its own window when it was consumed; from then on the credential's counts. */
async function requireOpenWindows(parts: ExecutionParts, plan: ManagementPlan): Promise<void> {
  const { target } = plan;
  await inTransaction(parts.database, async (sql) => {
    const nowMs = await readDatabaseNow(sql);
    if (nowMs >= target.credentialExpiresAtMs) {
      throw new ExecutionError('credential_window_closed', `credential ${target.credentialId} would have expired at ${target.credentialExpiresAtMs}, it is ${nowMs}`);
    }
    const { previousCredentialId, workerId, deliveryId } = target;
    if (previousCredentialId === null || (await findDelivery(sql, deliveryId)) !== null) return;
    if (!(await isCredentialActive(sql, previousCredentialId, workerId))) {
      throw new ExecutionError('predecessor_inactive', `credential ${previousCredentialId} of worker ${workerId} is not active: there is nothing to rotate`);
    }
  });
}

async function issue(
  parts: ExecutionParts,
  command: ExecutionCommand,
  plan: ManagementPlan,
): Promise<{ issued: IssueOutcome; evidence: TokenRequestEvidence }> {
  const { database, pepper, onEvent } = parts;
  const loan = await parts.session.withDelivery((delivery) =>
    issueCredential(
      { database, delivery, pepper, ...(onEvent === undefined ? {} : { onEvent }) },
      { plan, dispatchId: command.dispatchId, consumptionId: command.consumptionId },
    ),
  );
  return { issued: loan.result, evidence: loan.evidence };
}

async function complete(
  parts: ExecutionParts,
  command: ExecutionCommand,
  plan: ManagementPlan,
  issued: IssueOutcome,
  tokenRequest: TokenRequestEvidence,
): Promise<ExecutionOutcome> {
  const record = await inTransaction(parts.database, (sql) => requirePublished(sql, plan));
  const resultDigest = resultDigestOf(record);
  await succeed(parts.database, command.dispatchId, resultDigest);
  return toOutcome(command, record, { executionStatus: 'succeeded', deliveryStatus: issued.status, resultDigest, tokenRequest });
}

export type PublishedRecord = DeliveryRecord & { readonly publicationDigest: string };

export async function requirePublished(sql: Transaction, plan: ManagementPlan): Promise<PublishedRecord> {
  const record = await findDelivery(sql, plan.target.deliveryId);
  if (record === null || record.publicationDigest === null || differenceFromPlan(record, plan.target) !== null) {
    throw new ExecutionError('result_mismatch', `delivery ${plan.target.deliveryId} is not published as plan ${plan.actionRef} says`);
  }
  return record as PublishedRecord;
}

function toOutcome(
  command: ExecutionCommand,
  record: PublishedRecord,
  rest: Pick<ExecutionOutcome, 'executionStatus' | 'deliveryStatus' | 'resultDigest' | 'tokenRequest'>,
): ExecutionOutcome {
  return {
    actionRef: command.actionRef,
    dispatchId: command.dispatchId,
    executionStatus: rest.executionStatus,
    deliveryStatus: rest.deliveryStatus,
    tokenRequestUsed: rest.tokenRequest !== null,
    deliveryId: record.deliveryId,
    credentialId: record.credentialId,
    publicationDigest: record.publicationDigest,
    resultDigest: rest.resultDigest,
    tokenRequest: rest.tokenRequest,
  };
}
