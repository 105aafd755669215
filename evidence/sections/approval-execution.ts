import { actionChains, approvalRequests, credentials, deliveries, dispatches, executions, plans } from '../facts/actions.ts';
import { hostReplaysUsedNoToken, hostAuthorizationRechecks, recoveryToldTheLedger } from '../facts/host-actions.ts';
import { fact, type ObservedRun } from '../facts/observed-run.ts';
import { rowsWhere, textIn, type Row } from '../facts/rows.ts';
import { approvalConsumedBeforeTokenRequest } from '../gates/approval-consumed-before-token-request.ts';
import { executorJobExactReplayWithoutTokenRequest } from '../gates/executor-job-exact-replay-without-token-request.ts';
import type { DraftSection } from '../report.ts';
import { secretIn } from '../secret-patterns.ts';

export const approvalExecutionSection = fact((run: ObservedRun): DraftSection<'approvalExecution'> => {
  const chains = actionChains(run);
  return {
    plans: plans(run).length,
    consumedApprovals: rowsWhere(approvalRequests(run), 'state', 'consumed').length,
    dispatches: dispatches(run).length,
    succeededExecutions: rowsWhere(executions(run), 'state', 'succeeded').length,
    credentials: credentials(run).length,
    publishedDeliveries: recoveryToldTheLedger(run) ? rowsWhere(deliveries(run), 'state', 'published').length : null,
    auditEvents: chains.reduce((sum, { audits }) => sum + audits.length, 0),
    planDigests: chains.map(({ plan }) => textIn(plan, 'plan_digest')),
    approvalRequestIds: chains.map(({ request }) => textIn(request, 'request_id')),
    dispatchIds: chains.map(({ dispatch }) => textIn(dispatch, 'dispatch_id')),
    hostAuthorizationRechecks: hostAuthorizationRechecks(run),
    tokenRequestAfterApprovalConsumption: approvalConsumedBeforeTokenRequest(run).holds,
    executionReplayWithoutTokenRequest: hostReplaysUsedNoToken(run).holds && executorJobExactReplayWithoutTokenRequest(run).holds,
    tokenOrSecretPersistedInPlan: plans(run).length === 0 || [...plans(run), ...approvalRequests(run), ...dispatches(run)].some(holdsSecret),
  };
});

function holdsSecret(row: Row): boolean {
  return Object.entries(row.columns).some(([column, value]) => /token|secret|password|pepper/.test(column) || (typeof value === 'string' && secretIn(value) !== null));
}
