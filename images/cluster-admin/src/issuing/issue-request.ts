import type { DeliveryIntent } from '../../../core/delivery.ts';
import type { ManagementPlan, ManagementTarget } from '../../../core/management-plan.ts';

/** An approved plan, and the execution under whose start barrier it is carried out. */
export interface IssueRequest {
  readonly plan: ManagementPlan;
  readonly dispatchId: string;
  readonly consumptionId: string;
}

export type IssueStatus = 'published' | 'existing';

export interface IssueOutcome {
  readonly status: IssueStatus;
  readonly deliveryId: string;
  readonly credentialId: string;
  readonly publicationDigest: string;
}

export type IssueEvent =
  | { readonly event: 'orphaned_stage_discarded'; readonly deliveryId: string; readonly tokenDigest: string }
  | { readonly event: 'staged'; readonly deliveryId: string; readonly tokenDigest: string }
  | { readonly event: 'credential_committed'; readonly deliveryId: string; readonly credentialId: string }
  | { readonly event: 'published'; readonly deliveryId: string; readonly publicationDigest: string };

/** The name of the first thing in which a delivery differs from what the plan says, null when it is the same request. */
export function differenceFromPlan(intent: DeliveryIntent, target: ManagementTarget): string | null {
  const fields = ['deliveryId', 'workerId', 'credentialId', 'previousCredentialId', 'deploymentTargetDigest', 'deploymentGeneration'] as const;
  return fields.find((field) => intent[field] !== target[field]) ?? null;
}
