import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, describe, test } from 'node:test';
import { createExecutionWorld, type ExecutionWorld } from '../../test-support/execution-world.ts';
import { commandFor } from '../../test-support/management-world.ts';
import { KubernetesApiError } from '../kubernetes/api-error.ts';

const STAGE = 'POST secrets/STAGE';
const PUT_SECRET = 'PUT secrets/ql3-worker-credential';
const PUT_DEPLOYMENT = 'PUT deployments/ql3-worker';

describe('executing an approved action', () => {
  let world: ExecutionWorld;
  before(async () => {
    world = await createExecutionWorld();
  });
  after(() => world?.[Symbol.asyncDispose]());
  beforeEach(async () => {
    await world.reset();
    await world.management.bind('operator-a', 'owner');
    await world.management.bind('reviewer-b', 'owner');
  });

  const refused = (reason: string): object => ({ code: 'QL3_WORKER_CREDENTIAL_EXECUTION_REFUSED', reason });

  test('consumes, asks again, passes the barrier, then stages, commits and publishes, in this order', async () => {
    const { plan, command } = await world.management.approve();
    const outcome = await world.execute(command);
    assert.deepEqual(world.story, [
      'approval_consumed',
      'confirmed before_authority',
      'execution_started',
      'session',
      STAGE,
      'staged',
      'credential_committed',
      PUT_SECRET,
      PUT_DEPLOYMENT,
      'published',
    ]);
    assert.equal(outcome.executionStatus, 'succeeded');
    assert.equal(outcome.deliveryStatus, 'published');
    assert.equal(outcome.tokenRequestUsed, true);
    assert.equal(outcome.deliveryId, plan.target.deliveryId);
    assert.equal(await world.executionState(command.dispatchId), 'succeeded');
    const audits = `details->>'actionRef' = '${plan.actionRef}'`;
    assert.equal(await world.management.count('security_audit_events', audits), 4);
    for (const action of ['approval.request', 'approval.decide', 'approval.consume', 'worker_credential.issue']) {
      assert.equal(await world.management.count('security_audit_events', `${audits} AND action = '${action}'`), 1, action);
    }
  });

  test('an exact replay touches neither Kubernetes nor authority', async () => {
    const { command } = await world.management.approve();
    const first = await world.execute(command);
    world.story.length = 0;
    world.tap.operations.length = 0;
    const replay = await world.execute(command);
    assert.deepEqual(replay, { ...first, executionStatus: 'existing', deliveryStatus: 'existing', tokenRequestUsed: false, tokenRequest: null });
    assert.deepEqual(world.story, []);
    assert.deepEqual(world.tap.operations, []);
    assert.equal(world.sessions(), 1);
  });

  test('a replay of a result that does not follow from the ledger is refused', async () => {
    const { command } = await world.management.approve();
    await world.execute(command);
    await world.management.superuser.query(`BEGIN; SET LOCAL session_replication_role = replica;
      UPDATE ql3.approved_action_executions SET result_digest = '${'c'.repeat(64)}' WHERE dispatch_id = '${command.dispatchId}'; COMMIT`);
    await assert.rejects(world.execute(command), refused('result_mismatch'));
  });

  const crashes: Record<string, { arm: (world: ExecutionWorld) => void; again: readonly string[] }> = {
    'before the stage': { arm: ({ tap }) => tap.before('POST secrets/ql3w-stage', crash), again: [STAGE, PUT_SECRET, PUT_DEPLOYMENT] },
    'between stage and commit': { arm: ({ tap }) => tap.after('POST secrets/ql3w-stage', crash), again: ['DELETE secrets/STAGE', STAGE, PUT_SECRET, PUT_DEPLOYMENT] },
    'between commit and publication': { arm: ({ tap }) => tap.before(PUT_SECRET, crash), again: [PUT_SECRET, PUT_DEPLOYMENT] },
    'between Secret and Deployment': { arm: ({ tap }) => tap.before(PUT_DEPLOYMENT, crash), again: [PUT_DEPLOYMENT] },
    'after the Deployment, before version 2': { arm: ({ tap }) => tap.after(PUT_DEPLOYMENT, crash), again: [] },
  };
  for (const [when, { arm, again }] of Object.entries(crashes)) {
    test(`a crash ${when} is resumed by the same command: same delivery, nothing written twice`, async () => {
      const { plan, command } = await world.management.approve();
      arm(world);
      await assert.rejects(world.execute(command));
      assert.equal(await world.executionState(command.dispatchId), 'executing');
      world.story.length = 0;
      const outcome = await world.execute(command);
      assert.deepEqual(world.story.filter((line) => /^(POST|PUT|DELETE)/.test(line)), again);
      assert.equal(outcome.executionStatus, 'succeeded');
      assert.equal(outcome.deliveryId, plan.target.deliveryId);
      assert.equal(await world.management.count('worker_credential_deliveries', `delivery_id = '${plan.target.deliveryId}'`), 2);
      assert.equal(await world.management.count('worker_credentials', `credential_id = '${plan.target.credentialId}'`), 1);
    });
  }

  test('an orphaned stage is discarded through its tombstone, and its token can never be committed', async () => {
    const { plan, command } = await world.management.approve();
    world.tap.after('POST secrets/ql3w-stage', crash);
    await assert.rejects(world.execute(command));
    await world.execute(command);
    assert.ok(world.story.includes('orphaned_stage_discarded'));
    const { rows } = await world.executor.query(`SELECT version, state FROM ql3.worker_credential_stage_discards WHERE delivery_id = $1 ORDER BY version`, [plan.target.deliveryId]);
    assert.deepEqual(rows, [{ version: 1, state: 'discard_authorized' }, { version: 2, state: 'discarded' }]);
  });

  test('a crash after version 2 needs no second publication', async () => {
    const { command } = await world.management.approve();
    await assert.rejects(
      world.execute(command, {
        onEvent(event) {
          if (event.event === 'published') throw new Error('crash');
        },
      }),
    );
    world.story.length = 0;
    const outcome = await world.execute(command);
    assert.equal(outcome.executionStatus, 'succeeded');
    assert.equal(outcome.deliveryStatus, 'existing');
    assert.deepEqual(world.story.filter((line) => /^(POST|PUT|DELETE)/.test(line)), []);
  });

  test('two executors with the same command deliver once', async () => {
    const { plan, command } = await world.management.approve();
    const outcomes = await Promise.allSettled([world.execute(command), world.execute(command)]);
    for (const outcome of outcomes) if (outcome.status === 'rejected') await world.execute(command);
    assert.equal((await world.execute(command)).executionStatus, 'existing');
    assert.equal(await world.management.count('worker_credential_deliveries', `delivery_id = '${plan.target.deliveryId}'`), 2);
    assert.equal(await world.management.count('approved_action_dispatches', `action_ref = '${plan.actionRef}'`), 1);
  });

  test('an approval is used once: another consumption, dispatch or audit id is refused', async () => {
    const { command } = await world.management.approve();
    await world.execute(command);
    for (const changes of [{ consumptionId: 'another' }, { dispatchId: 'another' }, { auditEventId: randomUUID() }]) {
      await assert.rejects(world.execute({ ...command, ...changes }), refused('consumption_mismatch'));
    }
  });

  test('what was not approved is not executed', async () => {
    const plan = await world.management.plan(world.management.planRequest());
    const request = await world.management.propose(plan);
    const command = commandFor(plan, request.requestId);
    await assert.rejects(world.execute(command), refused('not_approved'));
    await assert.rejects(world.execute({ ...command, actionRef: 'absent' }), refused('plan_not_found'));
    await assert.rejects(world.execute({ ...command, approvalRequestId: 'absent' }), refused('approval_not_found'));
    assert.equal(world.sessions(), 0);
  });

  test('an approval is not for another action', async () => {
    const { plan } = await world.management.approve();
    const other = await world.management.approve();
    await assert.rejects(world.execute({ ...other.command, actionRef: plan.actionRef }), refused('binding_mismatch'));
  });

  test('an approval that expired before it was used is refused', async () => {
    const { command } = await world.management.approve();
    await world.age(command.approvalRequestId);
    await assert.rejects(world.execute(command), refused('approval_expired'));
    assert.equal(await world.executionState(command.dispatchId), 'absent');
  });

  test('a target that is not the planned one is refused', async () => {
    const { command } = await world.management.approve();
    await assert.rejects(world.execute(command, { targetDigest: 'd'.repeat(64) }), refused('target_mismatch'));
  });

  for (const [who, reason] of [['operator-a', 'policy_denied'], ['reviewer-b', 'policy_denied']] as const) {
    test(`after ${who} has lost their binding the approval cannot be used, nor when it is given back`, async () => {
      const { command } = await world.management.approve();
      await world.management.bind(who, null);
      await assert.rejects(world.execute(command), refused(reason));
      await world.management.bind(who, 'owner');
      await assert.rejects(world.execute(command), refused('policy_changed'));
      assert.equal(world.sessions(), 0);
    });
  }

  test('a caller who does not stand by it any more stops it before authority is used', async () => {
    const { command } = await world.management.approve();
    await assert.rejects(
      world.execute(command, {
        async confirmAuthorization() {
          throw new Error('withdrawn');
        },
      }),
      /withdrawn/,
    );
    assert.equal(world.sessions(), 0);
    assert.equal(await world.executionState(command.dispatchId), 'pending');
    assert.equal((await world.execute(command)).executionStatus, 'succeeded');
  });

  test('a rotation needs an active predecessor', async () => {
    const previousCredentialId = `credential_${randomUUID().slice(0, 8)}`;
    const request = world.management.planRequest();
    const { command } = await world.management.approve({ ...request, action: 'rotate', target: { ...request.target, previousCredentialId } });
    await assert.rejects(world.execute(command), refused('predecessor_inactive'));
    assert.equal(world.sessions(), 0);
    assert.equal(await world.executionState(command.dispatchId), 'pending');
  });

  test('a rotation that was refused is taken up by its own command alone, once its predecessor is issued, whatever became of the roles', async () => {
    const request = world.management.planRequest();
    const first = await world.management.approve();
    const { credentialId, workerId } = first.plan.target;
    const { command } = await world.management.approve({ ...request, action: 'rotate', target: { ...request.target, workerId, previousCredentialId: credentialId } });
    await assert.rejects(world.execute(command), refused('predecessor_inactive'));
    await world.execute(first.command);
    await world.management.bind('reviewer-b', 'viewer');

    await assert.rejects(world.execute({ ...command, consumptionId: randomUUID(), dispatchId: randomUUID(), auditEventId: randomUUID() }), refused('consumption_mismatch'));
    assert.equal((await world.execute(command)).executionStatus, 'succeeded');
  });

  test('an action is resumed under the same consumption even when its lease has lapsed', async () => {
    const { command } = await world.management.approve();
    world.tap.before(PUT_DEPLOYMENT, crash);
    await assert.rejects(world.execute(command));
    await world.lapse(command.dispatchId);
    assert.equal((await world.execute(command)).executionStatus, 'succeeded');
  });

  test('no error, event or row holds the token', async () => {
    const { plan, command } = await world.management.approve();
    world.tap.before(PUT_SECRET, crash);
    const failure = await world.execute(command).then(() => assert.fail('no failure'), (error: unknown) => error);
    const [stage] = await world.cluster.stageSecrets();
    const token = Buffer.from(stage!.data!['credentialToken']!, 'base64').toString('latin1');
    assert.match(token, /^ql3w_/);
    for (let at: unknown = failure; at instanceof Error; at = at.cause) assert.ok(!`${at.stack}${JSON.stringify(at)}`.includes(token));
    await world.execute(command);
    const { rows } = await world.management.superuser.query(`SELECT row_to_json(credential)::text || (SELECT string_agg(event::text, '') FROM ql3.security_audit_events AS event) AS text
      FROM ql3.worker_credentials AS credential WHERE credential_id = $1`, [plan.target.credentialId]);
    assert.ok(!String(rows[0]?.['text']).includes(token.slice(-43)));
  });
});

async function crash(): Promise<void> {
  throw new KubernetesApiError({ code: 'network', operation: 'test', detail: 'the process died here' });
}
