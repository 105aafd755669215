import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import test from 'node:test';
import fc from 'fast-check';
import { actionBindingOf, approvalStatusAt, bindingDifferences } from './approval.ts';
import { digests, planContents, reversedKeys } from './domain-arbitraries.ts';
import { DomainError } from './errors.ts';
import {
  createManagementPlan,
  parseManagementPlan,
  planDigest,
  previewDigest,
  readManagementPlan,
  serialiseManagementPlan,
  type ManagementPlanContent,
} from './management-plan.ts';

const CONTENT: ManagementPlanContent = {
  schema: 'qinglong/worker-credential-management-plan@v1',
  actionRef: 'live/rotate-4',
  authorityProjectId: 'cluster-authority',
  action: 'rotate',
  target: {
    deliveryId: '11111111-1111-4111-8111-111111111111',
    workerId: 'worker-1',
    credentialId: 'live_generation_4',
    previousCredentialId: 'live_generation_3',
    credentialNotBeforeAtMs: 1_000,
    credentialExpiresAtMs: 2_000,
    deploymentTargetDigest: '0123456789abcdef'.repeat(4),
    deploymentGeneration: 'generation-4',
  },
  requestedBy: { type: 'user', id: 'operator-a' },
  plannedAtMs: 500,
  expiresAtMs: 900_500,
};

const isInvalidPlan = (error: unknown): boolean =>
  error instanceof DomainError && error.code === 'QL3_MANAGEMENT_PLAN_INVALID';

test('both digests are the documented ones', () => {
  assert.equal(planDigest(CONTENT), '7d36d2ffa1b6a840b33b7a1c782bccf6b6dd68346aa3dbc7031bf71cd82d65f3');
  assert.equal(previewDigest(CONTENT), 'c30df52e79ecf0d63aaa40eb86372d07d7a64600296351228b91e418c725128c');
});

test('a plan survives serialisation, and its digests do not depend on the order of keys', () => {
  fc.assert(
    fc.property(planContents, (content) => {
      const plan = createManagementPlan(reversedKeys({ ...content, target: reversedKeys(content.target) }));
      const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
      assert.equal(plan.planDigest, sha256(`qinglong/worker-credential-management-plan-digest@v1\0${JSON.stringify(content)}`));
      assert.deepEqual(parseManagementPlan(serialiseManagementPlan(plan)), plan);
    }),
  );
});

test('a preview stays the same when another user plans the same later; the plan does not', () => {
  const later = { ...CONTENT, actionRef: 'live/again', requestedBy: { type: 'user', id: 'operator-b' }, plannedAtMs: 600 } as const;
  assert.equal(previewDigest(later), previewDigest(CONTENT));
  assert.notEqual(planDigest(later), planDigest(CONTENT));
});

test('a plan with any altered field no longer matches its digests', () => {
  const plan = createManagementPlan(CONTENT);
  const alterations: readonly object[] = [
    { actionRef: 'live/other' },
    { authorityProjectId: 'other' },
    { requestedBy: { type: 'user', id: 'operator-b' } },
    { plannedAtMs: 501 },
    { expiresAtMs: 900_499 },
    { target: { ...plan.target, credentialId: 'other' } },
    { target: { ...plan.target, credentialExpiresAtMs: 1_999 } },
    { target: { ...plan.target, deploymentTargetDigest: 'f'.repeat(64) } },
    { planDigest: plan.previewDigest },
    { previewDigest: plan.planDigest },
  ];
  for (const alteration of alterations) {
    assert.throws(() => readManagementPlan({ ...plan, ...alteration }), isInvalidPlan, JSON.stringify(alteration));
  }
});

test('what is planned is possible: an action with its predecessor, windows that are open and not too long', () => {
  const { target } = CONTENT;
  const impossible: readonly Partial<ManagementPlanContent>[] = [
    { action: 'issue' },
    { target: { ...target, previousCredentialId: null } },
    { target: { ...target, previousCredentialId: target.credentialId } },
    { expiresAtMs: CONTENT.plannedAtMs },
    { expiresAtMs: CONTENT.plannedAtMs + 900_001 },
    { target: { ...target, credentialExpiresAtMs: target.credentialNotBeforeAtMs } },
    { target: { ...target, credentialExpiresAtMs: target.credentialNotBeforeAtMs + 730 * 86_400_000 + 1 } },
    { requestedBy: { type: 'system', id: 'operator-a' } as never },
  ];
  for (const change of impossible) {
    assert.throws(() => createManagementPlan({ ...CONTENT, ...change }), isInvalidPlan, JSON.stringify(change));
  }
});

test('a plan of more than 16 KiB is refused before it is parsed', () => {
  assert.throws(() => parseManagementPlan(' '.repeat(16_385)), isInvalidPlan);
});

test('an approval binds one plan, and every difference is named', () => {
  const binding = actionBindingOf(createManagementPlan(CONTENT));
  assert.deepEqual(binding, {
    permission: 'worker.manage',
    actionType: 'worker_credential.delivery.rotate',
    actionRef: 'live/rotate-4',
    actionDigest: planDigest(CONTENT),
    previewDigest: previewDigest(CONTENT),
  });
  fc.assert(
    fc.property(digests, fc.constantFrom('actionDigest' as const, 'previewDigest' as const), (digest, field) => {
      assert.deepEqual(bindingDifferences(binding, { ...binding, [field]: digest }), [field]);
    }),
  );
  assert.deepEqual(bindingDifferences(binding, { ...binding }), []);
});

test('an open request expires by the clock of whoever reads it, a closed one never', () => {
  for (const state of ['pending', 'approved'] as const) {
    assert.equal(approvalStatusAt({ state, expiresAtMs: 10 }, 9), state);
    assert.equal(approvalStatusAt({ state, expiresAtMs: 10 }, 10), 'expired');
  }
  for (const state of ['rejected', 'consumed'] as const) assert.equal(approvalStatusAt({ state, expiresAtMs: 10 }, 11), state);
});
