import type { DeliveryIntent } from '../../../core/delivery.ts';
import type { ManagementPlan } from '../../../core/management-plan.ts';
import type { Database } from '../../../postgres/connection.ts';
import { findDelivery } from '../../../postgres/repositories/delivery-ledger.ts';
import { lockCredentialAndDelivery } from '../../../postgres/repositories/credential-lock.ts';
import { findDispatchOfAction } from '../../../postgres/repositories/execution-dispatch.ts';
import { failExecution, type Execution } from '../../../postgres/repositories/execution-state.ts';
import { findManagementPlan } from '../../../postgres/repositories/management-plan.ts';
import { inTransaction, type Transaction } from '../../../postgres/transaction.ts';
import { requirePublished } from '../execution/execute-action.ts';
import { withAuthority, type AuthorityOptions } from '../execution/execute-credential-action.ts';
import { ExecutionError } from '../execution/execution-error.ts';
import { hasLapsed, requireExecution, requireResult, resultDigestOf, succeed } from '../execution/execution-progress.ts';
import { publish } from '../issuing/credential-issuer.ts';
import { discardOrphan } from '../issuing/discard-orphan.ts';
import type { TokenRequestSession } from '../token-request/token-request-session.ts';

export interface RecoverExecutionOptions extends AuthorityOptions {
  readonly actionRef: string;
}

export interface RecoveredExecution {
  readonly actionRef: string;
  readonly dispatchId: string;
  /** `existing` when it had ended before. */
  readonly status: 'succeeded' | 'failed' | 'existing';
  readonly reasonCode: string | null;
  readonly tokenRequestUsed: boolean;
}

export const NOTHING_COMMITTED = 'delivery_never_committed';

/**
 * Ends an execution that was left behind its start barrier. The delivery ledger is
 * the evidence: published means succeeded; committed is published first; a
 * tombstone, or no trace at all once the lease has lapsed, means failed.
 */
export function recoverExecution(options: RecoverExecutionOptions): Promise<RecoveredExecution> {
  return withAuthority(options, async (database, session) => {
    const stuck = await inTransaction(database, (sql) => load(sql, options.actionRef));
    const { plan, execution } = stuck;
    const answer = { actionRef: plan.actionRef, dispatchId: execution.dispatchId, reasonCode: null, tokenRequestUsed: false };
    if (execution.state === 'succeeded' || execution.state === 'failed' || execution.state === 'blocked') {
      await inTransaction(database, (sql) => checkEnded(sql, stuck));
      return { ...answer, status: 'existing', reasonCode: execution.reasonCode };
    }
    if (execution.state !== 'executing') {
      throw new ExecutionError('execution_busy', `execution ${execution.dispatchId} is ${execution.state}: run its command again, it has not passed the start barrier`);
    }
    const record = await inTransaction(database, (sql) => findDelivery(sql, plan.target.deliveryId));
    if (record === null) {
      await failUncommitted(database, session, stuck);
      return { ...answer, status: 'failed', reasonCode: NOTHING_COMMITTED, tokenRequestUsed: true };
    }
    const unpublished = record.version === 1;
    if (unpublished) await session.withDelivery((delivery) => publish({ database, delivery }, record));
    const published = await inTransaction(database, (sql) => requirePublished(sql, plan));
    await succeed(database, execution.dispatchId, resultDigestOf(published));
    return { ...answer, status: 'succeeded', tokenRequestUsed: unpublished };
  });
}

interface StuckExecution {
  readonly plan: ManagementPlan;
  readonly execution: Execution;
}

async function load(sql: Transaction, actionRef: string): Promise<StuckExecution> {
  const plan = await findManagementPlan(sql, actionRef);
  if (plan === null) throw new ExecutionError('plan_not_found', `there is no plan of action ${actionRef}`);
  const dispatch = await findDispatchOfAction(sql, actionRef);
  if (dispatch === null) throw new ExecutionError('not_approved', `action ${actionRef} was never dispatched: there is nothing to recover`);
  return { plan, execution: await requireExecution(sql, dispatch.dispatchId) };
}

async function checkEnded(sql: Transaction, { plan, execution }: StuckExecution): Promise<void> {
  if (execution.state === 'succeeded') requireResult(execution, resultDigestOf(await requirePublished(sql, plan)));
}

/**
 * While the lease lives an executor may be about to commit. Afterwards its stage
 * gets a tombstone, and the execution fails in a transaction that still sees no
 * delivery: a commit needs an execution that is executing, so none can follow.
 */
async function failUncommitted(database: Database, session: TokenRequestSession, { plan, execution }: StuckExecution): Promise<void> {
  if (!hasLapsed(execution)) {
    throw new ExecutionError('lease_live', `execution ${execution.dispatchId} is leased until ${execution.leaseExpiresAtMs}: its executor may still be at work`);
  }
  const { deliveryId, credentialId } = plan.target;
  await session.withDelivery(async (delivery) => {
    const orphan: DeliveryIntent | null = await delivery.findStage(deliveryId);
    if (orphan !== null) await discardOrphan(database, delivery, orphan);
  });
  await inTransaction(database, async (sql) => {
    await lockCredentialAndDelivery(sql, credentialId, deliveryId);
    if ((await findDelivery(sql, deliveryId)) !== null) {
      throw new ExecutionError('delivery_pending', `delivery ${deliveryId} has just been committed: recover this action again`);
    }
    if (!(await failExecution(sql, execution, NOTHING_COMMITTED))) {
      throw new ExecutionError('execution_busy', `execution ${execution.dispatchId} has just been continued by somebody else`);
    }
  });
}
