import { requireAnotherPredecessor } from './delivery.ts';
import { sha256Hex } from './digest.ts';
import type { DomainIssue } from './errors.ts';
import {
  actionRefRule,
  credentialIdRule,
  deploymentGenerationRule,
  digestRule,
  projectIdRule,
  uuidV4Rule,
  workerIdRule,
} from './identifiers.ts';
import { parseJsonText } from './json-text.ts';
import { exactly, instantMs, literal, nullable, readAs, type Shape } from './shape.ts';
import { userSubjectRule, type UserSubject } from './subject.ts';

export const MANAGEMENT_PLAN_SCHEMA = 'qinglong/worker-credential-management-plan@v1';
export const MAXIMUM_PLAN_BYTES = 16_384;
export const MAXIMUM_PLAN_LIFE_MS: number = 15 * 60_000;
export const MAXIMUM_CREDENTIAL_LIFE_MS: number = 730 * 86_400_000;

const PLAN_DOMAIN = 'qinglong/worker-credential-management-plan-digest@v1\0';
const PREVIEW_DOMAIN = 'qinglong/worker-credential-management-preview-digest@v1\0';

export type ManagementAction = 'issue' | 'rotate';

export interface ManagementTarget {
  readonly deliveryId: string;
  readonly workerId: string;
  readonly credentialId: string;
  readonly previousCredentialId: string | null;
  readonly credentialNotBeforeAtMs: number;
  readonly credentialExpiresAtMs: number;
  readonly deploymentTargetDigest: string;
  readonly deploymentGeneration: string;
}

/** What a user plans to do, before its digests are known. */
export interface ManagementPlanContent {
  readonly schema: typeof MANAGEMENT_PLAN_SCHEMA;
  readonly actionRef: string;
  readonly authorityProjectId: string;
  readonly action: ManagementAction;
  readonly target: ManagementTarget;
  readonly requestedBy: UserSubject;
  readonly plannedAtMs: number;
  readonly expiresAtMs: number;
}

export interface ManagementPlan extends ManagementPlanContent {
  readonly planDigest: string;
  readonly previewDigest: string;
}

const contentShape: Shape<ManagementPlanContent> = {
  schema: literal(MANAGEMENT_PLAN_SCHEMA),
  actionRef: actionRefRule,
  authorityProjectId: projectIdRule,
  action: literal('issue', 'rotate'),
  target: exactly<ManagementTarget>({
    deliveryId: uuidV4Rule,
    workerId: workerIdRule,
    credentialId: credentialIdRule,
    previousCredentialId: nullable(credentialIdRule),
    credentialNotBeforeAtMs: instantMs,
    credentialExpiresAtMs: instantMs,
    deploymentTargetDigest: digestRule,
    deploymentGeneration: deploymentGenerationRule,
  }),
  requestedBy: userSubjectRule,
  plannedAtMs: instantMs,
  expiresAtMs: instantMs,
};

const contentRule = exactly<ManagementPlanContent>(contentShape);
const planRule = exactly<ManagementPlan>({ ...contentShape, planDigest: digestRule, previewDigest: digestRule });

/** Binds everything that was planned, by whom and for how long. */
export function planDigest(content: ManagementPlanContent): string {
  return sha256Hex(PLAN_DOMAIN, JSON.stringify(readContent(content)));
}

/** Binds what would happen, whoever plans it and whenever. */
export function previewDigest(content: ManagementPlanContent): string {
  const { schema, authorityProjectId, action, target } = readContent(content);
  return sha256Hex(PREVIEW_DOMAIN, JSON.stringify({ schema, authorityProjectId, action, target }));
}

export function createManagementPlan(content: Omit<ManagementPlanContent, 'schema'>): ManagementPlan {
  const whole = { ...content, schema: MANAGEMENT_PLAN_SCHEMA } as const;
  return readManagementPlan({ ...whole, planDigest: planDigest(whole), previewDigest: previewDigest(whole) });
}

/** Checks shape, relations and both digests; keys come back in the documented order. */
export function readManagementPlan(value: unknown): ManagementPlan {
  return readAs('QL3_MANAGEMENT_PLAN_INVALID', 'the management plan', planRule, value, (plan, issues) => {
    checkContent(plan, issues);
    if (issues.length === 0) checkDigests(plan, issues);
  });
}

export function parseManagementPlan(text: string | Uint8Array): ManagementPlan {
  return readManagementPlan(
    parseJsonText('QL3_MANAGEMENT_PLAN_INVALID', 'the management plan', text, MAXIMUM_PLAN_BYTES),
  );
}

export function serialiseManagementPlan(plan: ManagementPlan): string {
  return JSON.stringify(readManagementPlan(plan));
}

function readContent(value: ManagementPlanContent): ManagementPlanContent {
  const { schema, actionRef, authorityProjectId, action, target, requestedBy, plannedAtMs, expiresAtMs } = value;
  return readAs(
    'QL3_MANAGEMENT_PLAN_INVALID',
    'the management plan',
    contentRule,
    { schema, actionRef, authorityProjectId, action, target, requestedBy, plannedAtMs, expiresAtMs },
    checkContent,
  );
}

function checkContent(plan: ManagementPlanContent, issues: DomainIssue[]): void {
  requireAnotherPredecessor(plan.target, issues);
  if ((plan.action === 'rotate') !== (plan.target.previousCredentialId !== null)) {
    issues.push({
      path: 'target.previousCredentialId',
      expected: plan.action === 'rotate' ? 'the credential to be replaced' : 'null for an issue',
      got: plan.action === 'rotate' ? 'null' : 'a credential',
    });
  }
  requireWindow('expiresAtMs', plan.plannedAtMs, plan.expiresAtMs, MAXIMUM_PLAN_LIFE_MS, issues);
  requireWindow(
    'target.credentialExpiresAtMs',
    plan.target.credentialNotBeforeAtMs,
    plan.target.credentialExpiresAtMs,
    MAXIMUM_CREDENTIAL_LIFE_MS,
    issues,
  );
}

function requireWindow(path: string, fromMs: number, toMs: number, maximumMs: number, issues: DomainIssue[]): void {
  const lifeMs = toMs - fromMs;
  if (lifeMs <= 0 || lifeMs > maximumMs) {
    issues.push({ path, expected: `1 to ${maximumMs} ms after the start of its window`, got: `${lifeMs} ms` });
  }
}

function checkDigests(plan: ManagementPlan, issues: DomainIssue[]): void {
  for (const [path, computed] of [
    ['planDigest', planDigest(plan)],
    ['previewDigest', previewDigest(plan)],
  ] as const) {
    if (plan[path] !== computed) issues.push({ path, expected: `the digest of the plan, ${computed}`, got: plan[path] });
  }
}
