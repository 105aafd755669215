import type { TreeLie } from '../tree-lie.ts';

const EXECUTE = 'images/cluster-admin/src/execution/execute-action.ts';
const PHASE_A = 'harness/contract/phase-a.ts';
const RUN_JOB = '      await runExecutorJob(context, NAMES.executorJob, thirdAction.command);\n';
const REPLAY_JOB = '      await runExecutorJob(context, NAMES.executorReplayJob, thirdAction.command);\n';

/** About approvals, and who executes them when. */
export const EXECUTION_LIES: readonly TreeLie[] = [
  {
    name: 'replay-skipped',
    pretends: 'each host action is replayed exactly; none is',
    patches: [{ file: 'harness/contract/host-action.ts', search: 'for (const replay of [false, true]) {', replacement: 'for (const replay of [false]) {' }],
    caughtBy: ['approvalExecution.executionReplayWithoutTokenRequest', 'approvalExecution.hostAuthorizationRechecks'],
    says: /hostAuthorizationRechecks: expected 9, got 6/,
  },
  {
    name: 'second-recheck-skipped',
    pretends: 'authorization is confirmed again before authority is used; it is not',
    patches: [{ file: EXECUTE, search: "  await parts.confirmAuthorization(question('before_authority', command));\n", replacement: '' }],
    caughtBy: ['approvalExecution.executionReplayWithoutTokenRequest', 'approvalExecution.hostAuthorizationRechecks'],
    says: /hostAuthorizationRechecks: expected 9, got 6/,
  },
  {
    name: 'second-recheck-too-late',
    pretends: 'authorization is confirmed before authority is used; the caller is asked when all is done',
    patches: [
      { file: EXECUTE, search: "  await parts.confirmAuthorization(question('before_authority', command));\n", replacement: '' },
      { file: EXECUTE, search: '  return complete(parts, command, plan, issued, evidence);', replacement: "  await parts.confirmAuthorization(question('before_authority', command));\n  return complete(parts, command, plan, issued, evidence);" },
    ],
    caughtBy: ['approvalExecution.executionReplayWithoutTokenRequest'],
  },
  {
    name: 'token-before-consumption',
    pretends: 'the approval is consumed before a token is requested; it is the other way round',
    patches: [
      {
        file: EXECUTE,
        search: 'export async function executeAction(parts: ExecutionParts, command: ExecutionCommand): Promise<ExecutionOutcome> {\n',
        replacement:
          'export async function executeAction(parts: ExecutionParts, command: ExecutionCommand): Promise<ExecutionOutcome> {\n' +
          '  const known = await inTransaction(parts.database, async (sql) => (await sql.query(\'SELECT 1 FROM ql3.approved_action_executions WHERE dispatch_id = $1\', [command.dispatchId])).rows.length > 0);\n' +
          '  if (known) return await executeWith(parts, command);\n' +
          '  let outcome: ExecutionOutcome | null = null;\n' +
          '  const loan = await parts.session.withDelivery(async (delivery) => {\n' +
          '    outcome = await executeWith({ ...parts, session: { withDelivery: async (operation) => ({ result: await operation(delivery), evidence: {} as TokenRequestEvidence }) } }, command);\n' +
          '  });\n' +
          '  return { ...(outcome as unknown as ExecutionOutcome), tokenRequest: loan.evidence };\n' +
          '}\n\n' +
          'async function executeWith(parts: ExecutionParts, command: ExecutionCommand): Promise<ExecutionOutcome> {\n',
      },
    ],
    caughtBy: ['gates.approvalConsumedBeforeTokenRequest', 'approvalExecution.tokenRequestAfterApprovalConsumption'],
    says: /approval 1 was consumed before the token request/,
  },
  {
    name: 'job-run-on-the-host',
    pretends: 'generation 3 is executed by a Job; the host does it',
    patches: [
      { file: PHASE_A, search: RUN_JOB, replacement: '      await executeAndReplay(context, thirdAction);\n' },
      { file: PHASE_A, search: REPLAY_JOB, replacement: '' },
    ],
    caughtBy: ['gates.realCallerDrivenExecutorJob', 'gates.executorJobUsesProjectedShortLivedIssuerToken', 'gates.executorJobExactReplayWithoutTokenRequest'],
    says: /the first Job has one Pod/,
  },
  {
    name: 'replay-job-skipped',
    pretends: 'a second Job replays the command; it is never created',
    patches: [{ file: PHASE_A, search: REPLAY_JOB, replacement: '' }],
    caughtBy: ['gates.executorJobExactReplayWithoutTokenRequest', 'gates.realCallerDrivenExecutorJob'],
    says: /the replay Job has one Pod/,
  },
  {
    name: 'job-with-a-long-lived-token',
    pretends: 'the executor’s own token lives for 600 s; it lives for an hour',
    patches: [{ file: 'manifests/base/executor/job/job.yaml', search: 'expirationSeconds: 600', replacement: 'expirationSeconds: 3600' }],
    caughtBy: ['gates.executorJobUsesProjectedShortLivedIssuerToken', 'callerDrivenExecutorJob.projectedIssuerTokenSeconds'],
    says: /Pod 1 of the executor has one projected token, of 600 s/,
  },
  {
    name: 'job-not-caller-driven',
    pretends: 'the caller drives the Job; Kubernetes would try again by itself',
    patches: [{ file: 'manifests/base/executor/job/job.yaml', search: 'backoffLimit: 0', replacement: 'backoffLimit: 2' }],
    caughtBy: ['gates.realCallerDrivenExecutorJob', 'callerDrivenExecutorJob.backoffLimit'],
    says: /the first Job never retries/,
  },
  {
    name: 'self-approval-accepted',
    pretends: 'nobody decides the own request; the check is gone',
    patches: [{ file: 'images/cluster-admin/src/management/decide-action.ts', search: 'if (request.requested.subject.id === principal.subject.id) {', replacement: 'if (request === null) {' }],
    caughtBy: ['gates.strongUserPlanApprovalAndDispatchPersisted', 'probes.self-approval'],
    says: /refused with QL3_MANAGEMENT_SELF_APPROVAL/,
  },
  {
    name: 'weak-decider',
    pretends: 'a strong user decides; the decider has a password alone',
    patches: [{ file: 'harness/contract/approval.ts', search: "const assurance = id.startsWith('reviewer') ? 'hardware' : 'multi_factor';", replacement: "const assurance = id.startsWith('reviewer') ? ('password' as 'hardware') : 'multi_factor';" }],
    caughtBy: ['gates.strongUserPlanApprovalAndDispatchPersisted'],
    refusedWith: /QL3_MANAGEMENT_PRINCIPAL_WEAK/,
  },
];
