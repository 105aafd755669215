import { executionResultDigest } from '../../../core/execution.ts';
import type { DeliveryRecord } from '../../../core/delivery-record.ts';
import type { Database } from '../../../postgres/connection.ts';
import { claimExecution, findExecution, startExecution, succeedExecution, type Execution } from '../../../postgres/repositories/execution-state.ts';
import { inTransaction, type Transaction } from '../../../postgres/transaction.ts';
import { ExecutionError } from './execution-error.ts';

/** Claims the execution: pending, waiting, or abandoned by an earlier attempt of the same consumption. */
export function claim(database: Database, dispatchId: string, consumptionId: string): Promise<void> {
  return inTransaction(database, async (sql) => {
    const execution = await requireExecution(sql, dispatchId);
    if (execution.state === 'executing') return;
    if (execution.state === 'leased' && execution.leaseToken === consumptionId && !hasLapsed(execution)) return;
    if (!(await claimExecution(sql, execution, consumptionId))) throw busy(execution);
  });
}

/** Passes the start barrier. Before it nothing was done; after it the delivery ledger tells what was. */
export function start(database: Database, dispatchId: string, consumptionId: string): Promise<void> {
  return inTransaction(database, async (sql) => {
    const execution = await requireExecution(sql, dispatchId);
    if (execution.leaseToken !== consumptionId || !(await startExecution(sql, execution, consumptionId))) throw busy(execution);
  });
}

/** Completes an execution; whoever comes second must have the same result. */
export function succeed(database: Database, dispatchId: string, resultDigest: string): Promise<void> {
  return inTransaction(database, async (sql) => {
    const execution = await requireExecution(sql, dispatchId);
    if (execution.state === 'succeeded') return requireResult(execution, resultDigest);
    if (!(await succeedExecution(sql, execution, resultDigest))) throw busy(execution);
  });
}

export async function requireExecution(sql: Transaction, dispatchId: string): Promise<Execution> {
  const execution = await findExecution(sql, dispatchId);
  if (execution !== null) return execution;
  throw new ExecutionError('consumption_mismatch', `there is no execution of dispatch ${dispatchId}`);
}

export function requireResult(execution: Execution, resultDigest: string): void {
  if (execution.resultDigest === resultDigest) return;
  throw new ExecutionError('result_mismatch', `execution ${execution.dispatchId} has result ${execution.resultDigest}, the delivery ledger gives ${resultDigest}`);
}

export function resultDigestOf(record: DeliveryRecord & { readonly publicationDigest: string }): string {
  return executionResultDigest(record);
}

export function hasLapsed(execution: Execution): boolean {
  return execution.leaseExpiresAtMs !== null && execution.leaseExpiresAtMs <= execution.databaseNowMs;
}

function busy(execution: Execution): ExecutionError {
  return new ExecutionError('execution_busy', `execution ${execution.dispatchId} is ${execution.state} at version ${execution.version} and cannot be continued now`);
}
