import type { ManagementAction, ManagementPlan } from './management-plan.ts';
import type { PolicyFence } from './project-policy.ts';
import type { Assurance, Subject, UserSubject } from './subject.ts';

export type ApprovalState = 'pending' | 'approved' | 'rejected' | 'consumed';
export type ApprovalDecision = 'approved' | 'rejected';
export type ApprovalActionType = 'worker_credential.delivery.issue' | 'worker_credential.delivery.rotate';

export const MAXIMUM_APPROVAL_LIFE_MS: number = 15 * 60_000;

/** What exactly was approved. Nothing else may be done under the approval. */
export interface ActionBinding {
  readonly permission: 'worker.manage';
  readonly actionType: ApprovalActionType;
  readonly actionRef: string;
  readonly actionDigest: string;
  readonly previewDigest: string;
}

/** The person who acted, with the strength of their authentication and the policy that allowed it. */
export interface Authorized extends PolicyFence {
  readonly subject: UserSubject;
  readonly authenticationId: string;
  readonly assurance: Assurance;
  readonly auditEventId: string;
  readonly atMs: number;
}

export interface ApprovalRequest extends ActionBinding {
  readonly requestId: string;
  readonly version: 1 | 2 | 3;
  readonly state: ApprovalState;
  readonly authorityProjectId: string;
  readonly risk: 'high';
  readonly separationOfDuty: true;
  readonly requested: Authorized;
  readonly expiresAtMs: number;
  readonly decision: (Authorized & { readonly decisionId: string; readonly decision: ApprovalDecision; readonly reasonCode: string }) | null;
  readonly consumption: ApprovalConsumption | null;
}

export interface ApprovalConsumption extends PolicyFence {
  readonly consumptionId: string;
  readonly dispatchId: string;
  readonly consumedBy: Subject;
  readonly authenticationId: string;
  readonly auditEventId: string;
  readonly consumedAtMs: number;
}

export function approvalActionType(action: ManagementAction): ApprovalActionType {
  return `worker_credential.delivery.${action}`;
}

export function actionBindingOf(plan: ManagementPlan): ActionBinding {
  return Object.freeze({
    permission: 'worker.manage',
    actionType: approvalActionType(plan.action),
    actionRef: plan.actionRef,
    actionDigest: plan.planDigest,
    previewDigest: plan.previewDigest,
  });
}

/** The names of the binding's fields that differ; none when the approval is for this very plan. */
export function bindingDifferences(left: ActionBinding, right: ActionBinding): readonly (keyof ActionBinding)[] {
  const fields = ['permission', 'actionType', 'actionRef', 'actionDigest', 'previewDigest'] as const;
  return fields.filter((field) => left[field] !== right[field]);
}

/** Expiry is never written: a request that was not decided or consumed in time is expired for whoever reads it. */
export function approvalStatusAt(
  request: { readonly state: ApprovalState; readonly expiresAtMs: number },
  nowMs: number,
): ApprovalState | 'expired' {
  const open = request.state === 'pending' || request.state === 'approved';
  return open && nowMs >= request.expiresAtMs ? 'expired' : request.state;
}
