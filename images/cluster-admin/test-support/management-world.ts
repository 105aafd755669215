import { randomBytes, randomUUID } from 'node:crypto';
import type { ApprovalRequest } from '../../core/approval.ts';
import type { ExecutionCommand } from '../../core/execution.ts';
import type { ManagementPlan } from '../../core/management-plan.ts';
import type { ProjectRole } from '../../core/project-policy.ts';
import type { Assurance } from '../../core/subject.ts';
import type { Database } from '../../postgres/connection.ts';
import { createTestDatabase, type TestDatabase } from '../../postgres/test-database.ts';
import { decideCredentialAction, type DecisionRequest } from '../src/management/decide-action.ts';
import { planCredentialAction, type PlanRequest } from '../src/management/plan-action.ts';
import type { Principal } from '../src/management/principal.ts';
import { proposeCredentialAction, type ProposalRequest } from '../src/management/propose-action.ts';

const DAY_MS = 86_400_000;
export const PROJECT = 'cluster-authority';

/** A database with one project, a requester and a decider, and the way from a plan to a command. */
export interface ManagementWorld extends AsyncDisposable {
  readonly database: TestDatabase;
  readonly manager: Database;
  /** Sees and may do everything; for looking, and for what no role may do. */
  readonly superuser: Database;
  readonly pepper: Buffer;
  readonly requester: Principal;
  readonly decider: Principal;
  planRequest(changes?: Partial<PlanRequest>): PlanRequest;
  /** Another binding of a user to the project; `null` revokes. */
  bind(userId: string, role: ProjectRole | null): Promise<void>;
  plan(request: PlanRequest): Promise<ManagementPlan>;
  proposal(plan: ManagementPlan, changes?: Partial<ProposalRequest>): ProposalRequest;
  propose(plan: ManagementPlan): Promise<ApprovalRequest>;
  decision(request: ApprovalRequest, changes?: Partial<DecisionRequest>): DecisionRequest;
  decide(request: ApprovalRequest): Promise<ApprovalRequest>;
  /** Plan, proposal and approval at once. */
  approve(changes?: Partial<PlanRequest>): Promise<{ plan: ManagementPlan; command: ExecutionCommand }>;
  count(table: string, condition?: string): Promise<number>;
}

export async function createManagementWorld(deploymentTargetDigest: string): Promise<ManagementWorld> {
  const database = await createTestDatabase();
  const superuser = database.open('superuser');
  const manager = database.open('ql3_worker_credential_manager');
  await superuser.query(`INSERT INTO ql3.projects VALUES ($1, 1, 'active', 1, 1)`, [PROJECT]);
  const world: ManagementWorld = {
    database,
    manager,
    superuser,
    pepper: randomBytes(32),
    requester: principal('operator-a', 'multi_factor'),
    decider: principal('reviewer-b', 'hardware'),
    planRequest: (changes = {}) => planRequest(deploymentTargetDigest, changes),
    bind: (userId, role) => bind(superuser, userId, role),
    plan: (request) => planCredentialAction(manager, world.requester, request),
    proposal: ({ actionRef, planDigest, previewDigest }, changes = {}) => ({
      actionRef,
      requestId: `request-${actionRef}`,
      auditEventId: randomUUID(),
      planDigest,
      previewDigest,
      ...changes,
    }),
    propose: (plan) => proposeCredentialAction(manager, world.requester, world.proposal(plan)),
    decision: ({ requestId, version, actionDigest, previewDigest }, changes = {}) => ({
      requestId,
      decisionId: `decision-${requestId}`,
      auditEventId: randomUUID(),
      decision: 'approved',
      reasonCode: 'reviewed',
      expectedVersion: version,
      actionDigest,
      previewDigest,
      ...changes,
    }),
    decide: (request) => decideCredentialAction(manager, world.decider, world.decision(request)),
    async approve(changes) {
      const plan = await world.plan(world.planRequest(changes));
      const { requestId } = await world.decide(await world.propose(plan));
      return { plan, command: commandFor(plan, requestId) };
    },
    async count(table, condition = 'true') {
      const { rows } = await superuser.query<{ n: number }>(`SELECT count(*) AS n FROM ql3.${table} WHERE ${condition}`);
      return rows[0]!.n;
    },
    [Symbol.asyncDispose]: () => database.close(),
  };
  await world.bind(world.requester.subject.id, 'owner');
  await world.bind(world.decider.subject.id, 'owner');
  return world;
}

export function principal(id: string, assurance: Assurance): Principal {
  return { subject: { type: 'user', id }, authenticationId: `local-${id}`, assurance, sessionExpiresAtMs: Date.now() + DAY_MS };
}

export function commandFor({ actionRef }: ManagementPlan, approvalRequestId: string): ExecutionCommand {
  return {
    schemaVersion: 1,
    actionRef,
    approvalRequestId,
    consumptionId: `consumption-${actionRef}`,
    dispatchId: `dispatch-${actionRef}`,
    auditEventId: randomUUID(),
  };
}

function planRequest(deploymentTargetDigest: string, changes: Partial<PlanRequest>): PlanRequest {
  const { target, ...rest } = changes;
  const credentialId = target?.credentialId ?? `credential_${randomBytes(4).toString('hex')}`;
  const nowMs = Date.now();
  return {
    actionRef: `action-${credentialId}`,
    authorityProjectId: PROJECT,
    action: (target?.previousCredentialId ?? null) === null ? 'issue' : 'rotate',
    target: {
      deliveryId: randomUUID(),
      workerId: 'worker-1',
      credentialId,
      previousCredentialId: null,
      credentialNotBeforeAtMs: nowMs - 60_000,
      credentialExpiresAtMs: nowMs + DAY_MS,
      deploymentTargetDigest,
      deploymentGeneration: `generation-${credentialId}`,
      ...target,
    },
    ...rest,
  };
}

async function bind(superuser: Database, userId: string, role: ProjectRole | null): Promise<void> {
  await superuser.query(
    `INSERT INTO ql3.project_role_bindings (project_id, subject_type, subject_id, version, role, state, bound_at_ms)
     SELECT $1::text, 'user', $2::text, coalesce(max(version), 0) + 1, $3, $4, coalesce(max(bound_at_ms), 0) + 1
     FROM ql3.project_role_bindings WHERE project_id = $1::text AND subject_id = $2::text`,
    [PROJECT, userId, role ?? 'viewer', role === null ? 'revoked' : 'active'],
  );
}
