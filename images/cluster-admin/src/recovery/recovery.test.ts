import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { createExecutionWorld, type ExecutionWorld } from '../../test-support/execution-world.ts';
import { KubernetesApiError } from '../kubernetes/api-error.ts';
import type { ExecutionOutcome } from '../execution/execute-action.ts';
import { recoverDeliveries, type RecoveredDelivery } from './recover-deliveries.ts';
import { NOTHING_COMMITTED, recoverExecution } from './recover-execution.ts';

describe('recovery, through real TokenRequest sessions', () => {
  let world: ExecutionWorld;
  before(async () => {
    world = await createExecutionWorld();
  });
  after(() => world?.[Symbol.asyncDispose]());
  beforeEach(() => world.reset());

  const authority = (): Parameters<typeof recoverDeliveries>[0] => ({
    cluster: world.cluster.issuer,
    targets: { ...world.cluster.options, serviceAccountName: world.cluster.serviceAccountName, identitySecretName: world.cluster.identitySecretName },
    database: world.management.database.config('ql3_worker_credential_executor'),
  });

  async function recoverOne(deliveryId: string): Promise<RecoveredDelivery | undefined> {
    const page = await recoverDeliveries({ ...authority(), limit: 64 });
    return page.deliveries.find((delivery) => delivery.deliveryId === deliveryId);
  }

  async function issue(previousCredentialId: string | null = null): Promise<ExecutionOutcome> {
    const request = world.management.planRequest();
    const action = previousCredentialId === null ? 'issue' : 'rotate';
    const { command } = await world.management.approve({ ...request, action, target: { ...request.target, previousCredentialId } });
    return world.execute(command);
  }

  test('a whole rotation leaves no stage Secret and a revoked predecessor', async () => {
    const first = await issue();
    assert.equal((await recoverOne(first.deliveryId))?.status, 'waiting_observation');
    await world.observe(first.deliveryId);
    assert.equal((await recoverOne(first.deliveryId))?.status, 'completed');
    assert.deepEqual(await world.cluster.stageSecrets(), []);

    const second = await issue(first.credentialId);
    assert.equal((await recoverOne(second.deliveryId))?.status, 'waiting_observation');
    assert.equal(await world.management.count('worker_credentials', `credential_id = '${first.credentialId}' AND state = 'active'`), 1);
    await world.observe(second.deliveryId);
    assert.equal((await recoverOne(second.deliveryId))?.status, 'completed');

    assert.deepEqual(await world.cluster.stageSecrets(), []);
    assert.equal(await world.management.count('worker_credentials', `credential_id = '${first.credentialId}' AND state = 'revoked'`), 1);
    assert.equal(await world.management.count('worker_credential_deliveries', `delivery_id = '${second.deliveryId}' AND version = 4`), 1);
    assert.equal(await recoverOne(second.deliveryId), undefined, 'nothing is left to do');
    assert.equal(await world.management.count('security_audit_events', `resource_id = '${first.credentialId}' AND action = 'worker_credential.revoke'`), 1);
  });

  test('a delivery that was committed and not published is published', async () => {
    const { plan, command } = await world.management.approve();
    world.tap.before('PUT deployments/', crash);
    await assert.rejects(world.execute(command));
    const secret = await world.cluster.targetSecret();
    assert.equal((await recoverOne(plan.target.deliveryId))?.status, 'published');
    assert.equal((await world.cluster.targetSecret()).metadata.resourceVersion, secret.metadata.resourceVersion, 'the Secret is not written again');
    assert.equal((await recoverExecution({ ...authority(), actionRef: plan.actionRef })).status, 'succeeded');
    assert.equal(await world.executionState(command.dispatchId), 'succeeded');
    assert.equal((await world.execute(command)).executionStatus, 'existing');
  });

  test('an execution whose delivery is committed is published and completed at once', async () => {
    const { plan, command } = await world.management.approve();
    world.tap.before('PUT secrets/', crash);
    await assert.rejects(world.execute(command));
    const recovered = await recoverExecution({ ...authority(), actionRef: plan.actionRef });
    assert.deepEqual(recovered, { actionRef: plan.actionRef, dispatchId: command.dispatchId, status: 'succeeded', reasonCode: null, tokenRequestUsed: true });
    assert.equal((await recoverExecution({ ...authority(), actionRef: plan.actionRef })).status, 'existing');
  });

  test('an orphaned stage is left to its executor while the lease lives, then the execution fails through the tombstone', async () => {
    const { plan, command } = await world.management.approve();
    world.tap.after('POST secrets/', crash);
    await assert.rejects(world.execute(command));
    assert.equal((await recoverOne(plan.target.deliveryId))?.status, 'waiting_commit');
    await assert.rejects(recoverExecution({ ...authority(), actionRef: plan.actionRef }), { reason: 'lease_live' });

    await world.lapse(command.dispatchId);
    const recovered = await recoverExecution({ ...authority(), actionRef: plan.actionRef });
    assert.equal(recovered.status, 'failed');
    assert.equal(recovered.reasonCode, NOTHING_COMMITTED);
    assert.deepEqual(await world.cluster.stageSecrets(), []);
    assert.equal(await world.management.count('worker_credential_stage_discards', `delivery_id = '${plan.target.deliveryId}'`), 2);
    await assert.rejects(world.execute(command), { reason: 'execution_ended' });
  });

  test('an orphaned stage of nobody is discarded by the next pass', async () => {
    const { plan, command } = await world.management.approve();
    world.tap.after('POST secrets/', crash);
    await assert.rejects(world.execute(command));
    await world.lapse(command.dispatchId);
    assert.equal((await recoverOne(plan.target.deliveryId))?.status, 'orphaned_stage_discarded');
    assert.deepEqual(await world.cluster.stageSecrets(), []);
  });

  test('an executor that comes back after its execution was failed commits nothing', async () => {
    const { plan, command } = await world.management.approve();
    const stalled = world.execute(command, {
      onEvent(event) {
        if (event.event !== 'execution_started') return;
        world.tap.before('POST secrets/', async () => {
          await world.lapse(command.dispatchId);
          assert.equal((await recoverExecution({ ...authority(), actionRef: plan.actionRef })).status, 'failed');
        });
      },
    });
    await assert.rejects(stalled, { code: 'QL3_WORKER_CREDENTIAL_EXECUTION_FENCED' });
    assert.equal(await world.management.count('worker_credentials', `credential_id = '${plan.target.credentialId}'`), 0);
  });

  test('a delivery that cannot be published does not keep the others from it, page by page', async () => {
    const broken = await world.management.approve();
    world.tap.before('PUT secrets/', crash);
    await assert.rejects(world.execute(broken.command));
    const whole = await issue();
    const seen = new Map<string, RecoveredDelivery>();
    let afterDeliveryId: string | null = null;
    do {
      const page = await recoverDeliveries({ ...authority(), limit: 1, afterDeliveryId });
      for (const delivery of page.deliveries) seen.set(delivery.deliveryId, delivery);
      afterDeliveryId = page.nextAfterDeliveryId;
    } while (afterDeliveryId !== null);
    assert.equal(seen.get(whole.deliveryId)?.status, 'waiting_observation');
    const failed = seen.get(broken.plan.target.deliveryId);
    assert.equal(failed?.status, 'failed');
    assert.equal(failed?.failure?.code, 'WORKER_CREDENTIAL_DELIVERY_CONFLICT');
  });

  test('what was never dispatched, or has not passed the barrier, is not for recovery', async () => {
    const { plan } = await world.management.approve();
    const request = world.management.planRequest();
    await assert.rejects(recoverExecution({ ...authority(), actionRef: plan.actionRef }), { reason: 'not_approved' });
    await assert.rejects(recoverExecution({ ...authority(), actionRef: 'absent' }), { reason: 'plan_not_found' });
    const { plan: rotation, command } = await world.management.approve({ ...request, action: 'rotate', target: { ...request.target, previousCredentialId: plan.target.credentialId } });
    await assert.rejects(world.execute(command), { reason: 'predecessor_inactive' });
    await assert.rejects(recoverExecution({ ...authority(), actionRef: rotation.actionRef }), { reason: 'execution_busy' });
    assert.equal(await world.executionState(command.dispatchId), 'pending');
  });
});

async function crash(): Promise<void> {
  throw new KubernetesApiError({ code: 'network', operation: 'test', detail: 'the process died here' });
}
