import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { createManagementWorld, principal, type ManagementWorld } from '../../test-support/management-world.ts';
import { decideCredentialAction } from './decide-action.ts';
import { planCredentialAction } from './plan-action.ts';
import { proposeCredentialAction } from './propose-action.ts';

const TARGET_DIGEST = 'a'.repeat(64);

describe('planning, proposing and deciding', () => {
  let world: ManagementWorld;
  before(async () => {
    world = await createManagementWorld(TARGET_DIGEST);
  });
  after(() => world?.[Symbol.asyncDispose]());
  beforeEach(async () => {
    await world.bind(world.requester.subject.id, 'owner');
    await world.bind(world.decider.subject.id, 'owner');
  });

  test('a plan is bound by its digests, holds no secret, and is made once', async () => {
    const request = world.planRequest();
    const plan = await world.plan(request);
    assert.equal(plan.expiresAtMs - plan.plannedAtMs, 15 * 60_000);
    assert.deepEqual(await world.plan(request), plan);
    assert.equal(await world.count('worker_credential_management_plans', `action_ref = '${plan.actionRef}'`), 1);
    assert.doesNotMatch(JSON.stringify(plan), /ql3w_/);
  });

  test('another plan under the same action ref is refused', async () => {
    const request = world.planRequest();
    await world.plan(request);
    const other = { ...request, target: { ...request.target, deploymentGeneration: 'another' } };
    await assert.rejects(world.plan(other), { code: 'QL3_MANAGEMENT_PLAN_CONFLICT' });
    await world.bind('operator-c', 'operator');
    await assert.rejects(planCredentialAction(world.manager, principal('operator-c', 'hardware'), request), { code: 'QL3_MANAGEMENT_PLAN_CONFLICT' });
  });

  test('two plans at once are one plan', async () => {
    const request = world.planRequest();
    const [first, second] = await Promise.all([world.plan(request), world.plan(request)]);
    assert.equal(first.planDigest, second.planDigest);
  });

  test('weak, expired and unauthorised people plan nothing', async () => {
    const request = world.planRequest();
    const attempts: readonly [ReturnType<typeof principal>, string][] = [
      [principal('operator-a', 'single_factor'), 'QL3_MANAGEMENT_PRINCIPAL_WEAK'],
      [{ ...world.requester, sessionExpiresAtMs: Date.now() - 1 }, 'QL3_MANAGEMENT_PRINCIPAL_EXPIRED'],
      [{ ...world.requester, subject: { type: 'system' as 'user', id: 'operator-a' } }, 'QL3_MANAGEMENT_PRINCIPAL_WEAK'],
      [principal('stranger', 'hardware'), 'QL3_MANAGEMENT_POLICY_DENIED'],
    ];
    for (const [who, code] of attempts) await assert.rejects(planCredentialAction(world.manager, who, request), { code });
    await world.bind('approver-d', 'approver');
    await assert.rejects(planCredentialAction(world.manager, principal('approver-d', 'hardware'), request), { code: 'QL3_MANAGEMENT_POLICY_DENIED' });
    assert.equal(await world.count('worker_credential_management_plans', `action_ref = '${request.actionRef}'`), 0);
  });

  test('a plan that lives too long, or a credential that does, is refused', async () => {
    await assert.rejects(world.plan(world.planRequest({ lifeMs: 15 * 60_000 + 1 })), { code: 'QL3_MANAGEMENT_PLAN_INVALID' });
    const request = world.planRequest();
    const { credentialNotBeforeAtMs } = request.target;
    const target = { ...request.target, credentialExpiresAtMs: credentialNotBeforeAtMs + 730 * 86_400_000 + 1 };
    await assert.rejects(world.plan({ ...request, target }), { code: 'QL3_MANAGEMENT_PLAN_INVALID' });
  });

  test('the requester proposes: pending, high risk, separation of duty, one audit event', async () => {
    const plan = await world.plan(world.planRequest());
    const request = await world.propose(plan);
    assert.equal(request.state, 'pending');
    assert.equal(request.version, 1);
    assert.ok(request.expiresAtMs <= plan.expiresAtMs);
    assert.deepEqual(await world.propose(plan), request);
    assert.equal(await world.count('security_audit_events', `resource_id = '${request.requestId}' AND action = 'approval.request' AND outcome = 'approval_required'`), 1);
  });

  test('nobody else proposes a plan, and not under another digest', async () => {
    const plan = await world.plan(world.planRequest());
    await assert.rejects(proposeCredentialAction(world.manager, world.decider, world.proposal(plan)), { code: 'QL3_MANAGEMENT_REQUESTER_MISMATCH' });
    for (const digest of ['planDigest', 'previewDigest'] as const) {
      await assert.rejects(proposeCredentialAction(world.manager, world.requester, world.proposal(plan, { [digest]: 'b'.repeat(64) })), {
        code: 'QL3_MANAGEMENT_PLAN_DIGEST_MISMATCH',
      });
    }
    await assert.rejects(proposeCredentialAction(world.manager, world.requester, world.proposal(plan, { actionRef: 'absent' })), { code: 'QL3_MANAGEMENT_PLAN_NOT_FOUND' });
    assert.equal(await world.count('approval_requests', `action_ref = '${plan.actionRef}'`), 0);
  });

  test('an expired plan cannot be proposed', async () => {
    const plan = await world.plan(world.planRequest({ lifeMs: 1 }));
    await world.superuser.query('SELECT pg_sleep(0.005)');
    await assert.rejects(world.propose(plan), { code: 'QL3_MANAGEMENT_PLAN_EXPIRED' });
  });

  test('a second request for one action is refused', async () => {
    const plan = await world.plan(world.planRequest());
    await world.propose(plan);
    await assert.rejects(proposeCredentialAction(world.manager, world.requester, world.proposal(plan, { requestId: 'another-request' })), { code: 'QL3_MANAGEMENT_APPROVAL_CONFLICT' });
  });

  test('another strong user decides; the same decision again is the same', async () => {
    const request = await world.propose(await world.plan(world.planRequest()));
    const decision = world.decision(request);
    const approved = await decideCredentialAction(world.manager, world.decider, decision);
    assert.equal(approved.state, 'approved');
    assert.equal(approved.version, 2);
    assert.deepEqual(await decideCredentialAction(world.manager, world.decider, decision), approved);
    assert.equal(await world.count('security_audit_events', `resource_id = '${request.requestId}' AND action = 'approval.decide' AND outcome = 'allowed'`), 1);
    await assert.rejects(decideCredentialAction(world.manager, world.decider, world.decision(request, { decisionId: 'another' })), { code: 'QL3_MANAGEMENT_APPROVAL_CONFLICT' });
    await assert.rejects(decideCredentialAction(world.manager, world.decider, { ...decision, decision: 'rejected' }), { code: 'QL3_MANAGEMENT_APPROVAL_CONFLICT' });
  });

  test('nobody approves what they have asked for', async () => {
    const request = await world.propose(await world.plan(world.planRequest()));
    await assert.rejects(decideCredentialAction(world.manager, world.requester, world.decision(request)), { code: 'QL3_MANAGEMENT_SELF_APPROVAL' });
    assert.equal(await world.count('approval_requests', `request_id = '${request.requestId}' AND state = 'pending'`), 1);
  });

  test('a decision about another version or another plan is refused', async () => {
    const request = await world.propose(await world.plan(world.planRequest()));
    const decide = (changes: object): Promise<unknown> => decideCredentialAction(world.manager, world.decider, world.decision(request, changes));
    await assert.rejects(decide({ expectedVersion: 2 }), { code: 'QL3_MANAGEMENT_APPROVAL_CONFLICT' });
    await assert.rejects(decide({ actionDigest: 'b'.repeat(64) }), { code: 'QL3_MANAGEMENT_PLAN_DIGEST_MISMATCH' });
    await assert.rejects(decide({ previewDigest: 'b'.repeat(64) }), { code: 'QL3_MANAGEMENT_PLAN_DIGEST_MISMATCH' });
    await assert.rejects(decide({ requestId: 'absent' }), { code: 'QL3_MANAGEMENT_APPROVAL_NOT_FOUND' });
    await assert.rejects(decide({ reasonCode: 'Not A Code' }), { code: 'QL3_IDENTIFIER_INVALID' });
  });

  test('an expired request cannot be decided', async () => {
    const plan = await world.plan(world.planRequest());
    const request = await proposeCredentialAction(world.manager, world.requester, world.proposal(plan, { lifeMs: 1 }));
    await world.superuser.query('SELECT pg_sleep(0.005)');
    await assert.rejects(world.decide(request), { code: 'QL3_MANAGEMENT_APPROVAL_EXPIRED' });
  });

  test('the decider must be bound, and strong', async () => {
    const request = await world.propose(await world.plan(world.planRequest()));
    const decision = world.decision(request);
    await assert.rejects(decideCredentialAction(world.manager, principal('stranger', 'hardware'), decision), { code: 'QL3_MANAGEMENT_POLICY_DENIED' });
    await assert.rejects(decideCredentialAction(world.manager, principal('reviewer-b', 'single_factor'), decision), { code: 'QL3_MANAGEMENT_PRINCIPAL_WEAK' });
    await world.bind('operator-e', 'operator');
    await assert.rejects(decideCredentialAction(world.manager, principal('operator-e', 'hardware'), decision), { code: 'QL3_MANAGEMENT_POLICY_DENIED' });
  });

  test('a requester whose binding was revoked or changed meanwhile is not approved', async () => {
    const revoked = await world.propose(await world.plan(world.planRequest()));
    await world.bind('operator-a', null);
    await assert.rejects(world.decide(revoked), { code: 'QL3_MANAGEMENT_POLICY_DENIED' });
    await world.bind('operator-a', 'owner');
    await assert.rejects(world.decide(revoked), { code: 'QL3_MANAGEMENT_POLICY_CHANGED' });
  });
});
