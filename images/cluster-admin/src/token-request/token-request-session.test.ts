import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { bindRole, createDeliveryWorld, draftDelivery, withUsableIdentity, type DeliveryWorld } from '../../test-support/delivery-world.ts';
import { startForwarder } from '../../test-support/forwarder.ts';
import { openTestCluster, type TestCluster } from '../../test-support/test-cluster.ts';
import type { WorkerCredentialDelivery } from '../delivery/delivery.ts';
import { createTokenRequestSession, type TokenRequestEvent, type TokenRequestSession } from './token-request-session.ts';

const CODE = 'QL3_WORKER_CREDENTIAL_KUBERNETES_TOKEN_REQUEST_UNAVAILABLE';
const EVIDENCE = { tokenLifetimeSeconds: 600, issuerAllowedChecks: 1, issuerDeniedChecks: 8, allowedChecks: 8, deniedChecks: 20 };

describe('TokenRequest session', () => {
  let cluster: TestCluster;
  let world: DeliveryWorld;
  const events: TokenRequestEvent[] = [];

  before(async () => {
    cluster = await openTestCluster();
    world = await createDeliveryWorld(cluster);
  });
  after(async () => {
    await world?.[Symbol.asyncDispose]();
    await cluster?.[Symbol.asyncDispose]();
  });

  function openSession(changes: Partial<Parameters<typeof createTokenRequestSession>[0]> = {}): TokenRequestSession {
    events.length = 0;
    return createTokenRequestSession({
      issuer: world.issuer,
      target: world.options,
      serviceAccountName: world.serviceAccountName,
      identitySecretName: world.identitySecretName,
      onEvent: (event) => events.push(event),
      ...changes,
    });
  }

  /** A short-lived binding that gives somebody more than intended. */
  async function withRole(namespace: string, subject: object, rules: object[], act: () => Promise<void>): Promise<void> {
    const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`;
    await bindRole(world.admin, namespace, 'too-much', subject, rules);
    try {
      await act();
    } finally {
      for (const kind of ['rolebindings', 'roles']) {
        await world.admin.call({ method: 'DELETE', path: `${rbac}/${kind}/too-much`, operation: `DELETE ${kind}` });
      }
    }
  }

  const issuerSubject = (): object => ({ kind: 'User', name: world.issuer.impersonateUser, apiGroup: 'rbac.authorization.k8s.io' });
  const deliverySubject = (): object => ({ kind: 'ServiceAccount', name: world.serviceAccountName, namespace: world.options.stageNamespace });
  const mustNotRun = async (): Promise<never> => assert.fail('the delivery was lent');

  test('lends a working delivery, with 1 and 8, 8 and 20 reviews', async () => {
    const { intent, token } = draftDelivery(world, 'credential_1');
    const loan = await openSession().withDelivery(async (delivery) => {
      await delivery.stage(intent, token);
      return delivery.findStage(intent.deliveryId);
    });
    assert.deepEqual(loan.result, intent);
    assert.deepEqual(loan.evidence, EVIDENCE);
    assert.deepEqual(events.map((event) => event.event), ['token_request_session_started', 'token_request_session_ended']);
  });

  test('what was lent throws after its time, also when the operation failed', async () => {
    let kept: WorkerCredentialDelivery | undefined;
    const failure = new Error('the operation failed');
    await assert.rejects(
      openSession().withDelivery(async (delivery) => {
        kept = delivery;
        throw failure;
      }),
      failure,
    );
    await assert.rejects(kept!.inventory({ afterDeliveryId: null }), (error: Error) => {
      assert.match((error.cause as Error).message, /disposed/);
      return true;
    });
    assert.ok(events.some((event) => event.event === 'token_request_session_ended' && event.clientDisposed));
  });

  test('after a session every socket is closed', async () => {
    await using forwarder = await startForwarder(cluster.admin.server);
    await openSession({ issuer: { ...world.issuer, server: forwarder.server } }).withDelivery(async () => {
      assert.ok(forwarder.openSockets() > 0);
    });
    await forwarder.allClosed();
    assert.equal(forwarder.openSockets(), 0);
  });

  test('an issuer that may do more is refused by the name of the review', async () => {
    await withRole(world.options.stageNamespace, issuerSubject(), [{ apiGroups: [''], resources: ['secrets'], verbs: ['list'] }], async () => {
      await assert.rejects(openSession().withDelivery(mustNotRun), {
        code: CODE,
        reason: 'issuer_permission_excessive',
        message: /list secrets in .*: expected denied, got allowed/,
      });
    });
  });

  test('an issuer without its permission is refused', async () => {
    const issuer = { ...world.issuer, impersonateUser: 'somebody-else' };
    await assert.rejects(openSession({ issuer }).withDelivery(mustNotRun), { code: CODE, reason: 'issuer_permission_missing' });
  });

  test('a delivery identity that may do more is refused', async () => {
    await withRole(world.options.namespace, deliverySubject(), [{ apiGroups: [''], resources: ['pods/exec'], verbs: ['create'] }], async () => {
      await assert.rejects(openSession().withDelivery(mustNotRun), {
        code: CODE,
        reason: 'client_permission_excessive',
        message: /create pods\/exec in .*: expected denied, got allowed/,
      });
    });
  });

  test('a delivery identity that cannot reach its target is refused', async () => {
    const target = withUsableIdentity({ ...world.options, targetSecretName: 'another-secret' });
    await assert.rejects(openSession({ target }).withDelivery(mustNotRun), {
      code: CODE,
      reason: 'client_permission_missing',
      message: /get secrets another-secret/,
    });
  });

  test('a ServiceAccount that does not exist', async () => {
    const rules = [{ apiGroups: [''], resources: ['serviceaccounts/token'], resourceNames: ['absent'], verbs: ['create'] }];
    await withRole(world.options.stageNamespace, { kind: 'User', name: 'issuer-of-absent', apiGroup: 'rbac.authorization.k8s.io' }, rules, async () => {
      const issuer = { ...world.issuer, impersonateUser: 'issuer-of-absent' };
      await assert.rejects(openSession({ issuer, serviceAccountName: 'absent' }).withDelivery(mustNotRun), {
        code: CODE,
        reason: 'token_request_failed',
      });
    });
  });
});
