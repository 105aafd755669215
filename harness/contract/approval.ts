import { randomUUID } from 'node:crypto';
import {
  decideCredentialAction,
  deploymentTargetDigest,
  planCredentialAction,
  proposeCredentialAction,
  type ApprovalRequest,
  type ExecutionCommand,
  type ManagementPlan,
  type Principal,
} from '../../images/cluster-admin/src/index.ts';
import { expecting } from '../progress/activity.ts';
import type { ContractContext } from './context.ts';
import { targetOf, type DeliveryPlace } from './host-execution.ts';

const DAY_MS = 86_400_000;

/** In which project, by whom requested, by whom decided. */
export interface ActionOwner {
  readonly projectId: string;
  readonly requester: string;
  readonly decider: string;
}

export interface ActionRequest {
  readonly actionRef: string;
  readonly workerId: string;
  readonly credentialId: string;
  readonly previousCredentialId: string | null;
  readonly deploymentGeneration: string;
  readonly delivery: DeliveryPlace;
  /** 15 minutes if not given. */
  readonly lifeMs?: number;
}

export interface ApprovedAction {
  readonly plan: ManagementPlan;
  readonly requestId: string;
  readonly command: ExecutionCommand;
}

/** The fixed strong principals of a run; no identity provider takes part (a limitation that the report names). */
export function principal(id: string): Principal {
  const assurance = id.startsWith('reviewer') ? 'hardware' : 'multi_factor';
  return { subject: { type: 'user', id }, authenticationId: `local-${id}`, assurance, sessionExpiresAtMs: Date.now() + DAY_MS };
}

export async function plan(context: ContractContext, owner: ActionOwner, request: ActionRequest): Promise<ManagementPlan> {
  const nowMs = Date.now();
  return await managing(context, `PostgreSQL to take the plan of action ${request.actionRef}`, (database) =>
    planCredentialAction(database, principal(owner.requester), {
      actionRef: request.actionRef,
      authorityProjectId: owner.projectId,
      action: request.previousCredentialId === null ? 'issue' : 'rotate',
      target: {
        deliveryId: randomUUID(),
        workerId: request.workerId,
        credentialId: request.credentialId,
        previousCredentialId: request.previousCredentialId,
        credentialNotBeforeAtMs: nowMs - 60_000,
        credentialExpiresAtMs: nowMs + DAY_MS,
        deploymentTargetDigest: deploymentTargetDigest(targetOf(context, request.delivery)),
        deploymentGeneration: request.deploymentGeneration,
      },
      ...(request.lifeMs === undefined ? {} : { lifeMs: request.lifeMs }),
    }, context.signal),
  );
}

export async function propose(context: ContractContext, requester: string, planned: ManagementPlan, digests: Partial<Pick<ManagementPlan, 'planDigest' | 'previewDigest'>> = {}): Promise<ApprovalRequest> {
  const { planDigest, previewDigest } = { ...planned, ...digests };
  return await managing(context, `PostgreSQL to take the proposal of action ${planned.actionRef}`, (database) =>
    proposeCredentialAction(database, principal(requester), { actionRef: planned.actionRef, requestId: randomUUID(), auditEventId: randomUUID(), planDigest, previewDigest }, context.signal),
  );
}

export async function decide(context: ContractContext, decider: string, request: ApprovalRequest): Promise<ApprovalRequest> {
  const { requestId, version, actionDigest, previewDigest } = request;
  return await managing(context, `PostgreSQL to take ${decider}’s decision on request ${requestId}`, (database) =>
    decideCredentialAction(
      database,
      principal(decider),
      { requestId, decisionId: randomUUID(), auditEventId: randomUUID(), decision: 'approved', reasonCode: 'rollout_rehearsed', expectedVersion: version, actionDigest, previewDigest },
      context.signal,
    ),
  );
}

/** The whole way to an approved action, and the command that may be executed once under it. */
export async function approve(context: ContractContext, owner: ActionOwner, request: ActionRequest): Promise<ApprovedAction> {
  const planned = await plan(context, owner, request);
  const { requestId } = await decide(context, owner.decider, await propose(context, owner.requester, planned));
  return { plan: planned, requestId, command: commandFor(planned, requestId) };
}

export function commandFor(planned: ManagementPlan, approvalRequestId: string): ExecutionCommand {
  return { schemaVersion: 1, actionRef: planned.actionRef, approvalRequestId, consumptionId: randomUUID(), dispatchId: randomUUID(), auditEventId: randomUUID() };
}

async function managing<T>(context: ContractContext, expected: string, work: Parameters<typeof context.database.use<T>>[1]): Promise<T> {
  return await expecting({ expected }, () => context.database.use('ql3_worker_credential_manager', work));
}
