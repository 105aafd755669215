import { exactly, instantMs, integer, literal, nullable, readAs, scalar, type Rule } from '../../../core/shape.ts';
import {
  actionRefRule,
  credentialIdRule,
  deploymentGenerationRule,
  digestRule,
  projectIdRule,
  reasonCodeRule,
  requestIdRule,
  uuidV4Rule,
  workerIdRule,
} from '../../../core/identifiers.ts';
import { parseJsonText } from '../../../core/json-text.ts';
import { MAXIMUM_PLAN_BYTES, type ManagementTarget } from '../../../core/management-plan.ts';
import { userSubjectRule } from '../../../core/subject.ts';
import type { DecisionRequest } from './decide-action.ts';
import type { PlanRequest } from './plan-action.ts';
import type { Principal } from './principal.ts';
import type { ProposalRequest } from './propose-action.ts';

interface Envelope<T> {
  readonly schemaVersion: 1;
  readonly principal: Principal;
  readonly request: T;
}

const lifeRule: Rule<number> = integer(1);

const principalRule = exactly<Principal>({
  subject: userSubjectRule,
  authenticationId: requestIdRule,
  assurance: scalar('an assurance', (value) => typeof value === 'string'),
  sessionExpiresAtMs: instantMs,
});

const targetRule = exactly<ManagementTarget>({
  deliveryId: uuidV4Rule,
  workerId: workerIdRule,
  credentialId: credentialIdRule,
  previousCredentialId: nullable(credentialIdRule),
  credentialNotBeforeAtMs: instantMs,
  credentialExpiresAtMs: instantMs,
  deploymentTargetDigest: digestRule,
  deploymentGeneration: deploymentGenerationRule,
});

const planRule = exactly<Required<PlanRequest>>({
  actionRef: actionRefRule,
  authorityProjectId: projectIdRule,
  action: literal('issue', 'rotate'),
  target: targetRule,
  lifeMs: lifeRule,
});

const proposalRule = exactly<Required<ProposalRequest>>({
  actionRef: actionRefRule,
  requestId: requestIdRule,
  auditEventId: uuidV4Rule,
  planDigest: digestRule,
  previewDigest: digestRule,
  lifeMs: lifeRule,
});

const decisionRule = exactly<DecisionRequest>({
  requestId: requestIdRule,
  decisionId: requestIdRule,
  auditEventId: uuidV4Rule,
  decision: literal('approved', 'rejected'),
  reasonCode: reasonCodeRule,
  expectedVersion: integer(1, 3),
  actionDigest: digestRule,
  previewDigest: digestRule,
});

export const parsePlanRequest = parser('the plan request', planRule);
export const parseProposalRequest = parser('the proposal', proposalRule);
export const parseDecisionRequest = parser('the decision', decisionRule);

/** A request file: exactly schemaVersion, principal and request, at most 16 KiB. */
function parser<T>(subject: string, rule: Rule<T>): (text: Uint8Array) => Envelope<T> {
  const envelope = exactly<Envelope<T>>({ schemaVersion: literal(1), principal: principalRule, request: rule });
  return (text) =>
    readAs('QL3_MANAGEMENT_PLAN_INVALID', subject, envelope, parseJsonText('QL3_MANAGEMENT_PLAN_INVALID', subject, text, MAXIMUM_PLAN_BYTES));
}
