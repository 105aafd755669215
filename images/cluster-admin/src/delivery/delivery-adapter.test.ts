import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, describe, test } from 'node:test';
import { committedRecord, type DeliveryRecord } from '../../../core/delivery-record.ts';
import type { DeliveryIntent } from '../../../core/delivery.ts';
import { createDeliveryWorld, deploymentPath, draftDelivery, edit, targetSecretPath, type DeliveryWorld } from '../../test-support/delivery-world.ts';
import { tapConnection, type Tap } from '../../test-support/tapped-connection.ts';
import { openTestCluster, type TestCluster } from '../../test-support/test-cluster.ts';
import { KubernetesApiError } from '../kubernetes/api-error.ts';
import type { Deployment, Secret } from '../kubernetes/api-objects.ts';
import { WorkerCredentialKubernetesDeliveryAdapter } from './delivery-adapter.ts';
import type { WorkerCredentialDeliveryError } from './delivery-error.ts';

const CONFLICT = { code: 'WORKER_CREDENTIAL_DELIVERY_CONFLICT' };
const UNAVAILABLE = { code: 'WORKER_CREDENTIAL_DELIVERY_UNAVAILABLE' };
const PUT_SECRET = 'PUT secrets/ql3-worker-credential';
const PUT_DEPLOYMENT = 'PUT deployments/ql3-worker';

describe('WorkerCredentialKubernetesDeliveryAdapter', () => {
  let cluster: TestCluster;
  let world: DeliveryWorld;
  let tap: Tap;
  let adapter: WorkerCredentialKubernetesDeliveryAdapter;

  before(async () => {
    cluster = await openTestCluster();
    world = await createDeliveryWorld(cluster);
  });
  after(async () => {
    await world?.[Symbol.asyncDispose]();
    await cluster?.[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    await world.reset();
    tap = tapConnection(world.admin);
    adapter = new WorkerCredentialKubernetesDeliveryAdapter(world.options, tap.clients);
  });

  async function stageNew(credentialId: string, previous: string | null = null): Promise<{ intent: DeliveryIntent; token: Buffer }> {
    const draft = draftDelivery(world, credentialId, previous);
    await adapter.stage(draft.intent, draft.token);
    return draft;
  }

  async function publishNew(credentialId: string, previous: string | null = null): Promise<{ intent: DeliveryIntent; digest: string }> {
    const { intent } = await stageNew(credentialId, previous);
    return { intent, digest: await adapter.publish(committed(intent)) };
  }

  function annotations(deployment: Deployment): Readonly<Record<string, string>> {
    return deployment.spec.template.metadata?.annotations ?? {};
  }

  test('an issue fills the prepared Secret, then rolls the Deployment, in at most six calls', async () => {
    const { intent, token } = await stageNew('credential_1');
    const before = await world.targetSecret();
    tap.operations.length = 0;
    const digest = await adapter.publish(committed(intent));

    assert.match(digest, /^[0-9a-f]{64}$/);
    assert.ok(tap.operations.length <= 6, tap.operations.join('\n'));
    assert.deepEqual(tap.writes().map((write) => write.split(' in ')[0]), [PUT_SECRET, PUT_DEPLOYMENT]);
    const secret = await world.targetSecret();
    assert.equal(secret.metadata.uid, before.metadata.uid);
    assert.equal(secret.metadata.labels?.['qinglong.io/worker-credential-target'], 'v3');
    assert.equal(secret.metadata.labels?.['team'], 'edge', 'foreign labels stay');
    assert.deepEqual(secret.data, { 'credential-token': token.toString('base64') });
    const deployment = await world.deployment();
    assert.deepEqual(annotations(deployment), {
      'example.com/kept': 'yes',
      'qinglong.io/worker-credential-delivery-id': intent.deliveryId,
      'qinglong.io/worker-credential-id': 'credential_1',
      'qinglong.io/worker-credential-generation': 'generation-credential_1',
      'qinglong.io/worker-credential-token-digest': intent.tokenDigest,
      'qinglong.io/worker-credential-publication-digest': digest,
    });
  });

  test('a publication that was done before writes nothing and gives the same digest', async () => {
    const { intent, digest } = await publishNew('credential_1');
    tap.operations.length = 0;
    assert.equal(await adapter.publish(committed(intent)), digest);
    assert.deepEqual(tap.writes(), []);
  });

  test('a rotation replaces its predecessor and nobody else', async () => {
    await publishNew('credential_1');
    const second = await publishNew('credential_2', 'credential_1');
    assert.equal(annotations(await world.deployment())['qinglong.io/worker-credential-id'], 'credential_2');

    const secretBefore = await world.targetSecret();
    await assert.rejects(publishNew('credential_3', 'credential_1'), CONFLICT);
    await assert.rejects(publishNew('credential_4'), CONFLICT);
    assert.equal((await world.targetSecret()).metadata.resourceVersion, secretBefore.metadata.resourceVersion);
    assert.equal(annotations(await world.deployment())['qinglong.io/worker-credential-publication-digest'], second.digest);
  });

  test('a rotation of a prepared Secret is refused', async () => {
    await edit<Deployment>(world.admin, deploymentPath(world.options), (deployment) => withAnnotation(deployment, 'qinglong.io/worker-credential-id', 'credential_0'));
    await assert.rejects(publishNew('credential_1', 'credential_0'), CONFLICT);
    assert.equal((await world.targetSecret()).data, undefined);
  });

  test('staging is idempotent for equal content and a conflict for anything else', async () => {
    const { intent, token } = await stageNew('credential_1');
    await adapter.stage(intent, token);
    assert.equal((await world.stageSecrets()).length, 1);
    const other = draftDelivery(world, 'credential_1');
    await assert.rejects(adapter.stage({ ...other.intent, deliveryId: intent.deliveryId }, other.token), CONFLICT);
    await assert.rejects(adapter.stage(intent, other.token), CONFLICT);
  });

  test('a stage Secret is immutable, typed, labelled, and holds one key', async () => {
    const { intent, token } = await stageNew('credential_1');
    const [secret] = await world.stageSecrets();
    assert.equal(secret?.metadata.name, `ql3w-stage-${intent.deliveryId.replaceAll('-', '')}`);
    assert.equal(secret?.immutable, true);
    assert.equal(secret?.type, 'qinglong.io/worker-credential-stage-v1');
    assert.deepEqual(secret?.data, { credentialToken: token.toString('base64') });
    assert.deepEqual(JSON.parse(secret?.metadata.annotations?.['qinglong.io/worker-credential-intent'] ?? ''), intent);
  });

  test('two executors staging at once: the second finds the first one\'s stage', async () => {
    const { intent, token } = draftDelivery(world, 'credential_1');
    const rival = new WorkerCredentialKubernetesDeliveryAdapter(world.options, tapConnection(world.admin).clients);
    tap.before('POST secrets/', () => rival.stage(intent, token));
    await adapter.stage(intent, token);
    assert.equal((await world.stageSecrets()).length, 1);
  });

  test('a crash between Secret and Deployment is resumed without a second Secret write', async () => {
    const { intent } = await stageNew('credential_1');
    tap.before(PUT_DEPLOYMENT, lost);
    await assert.rejects(adapter.publish(committed(intent)), UNAVAILABLE);
    const secret = await world.targetSecret();

    tap.operations.length = 0;
    await adapter.publish(committed(intent));
    assert.deepEqual(tap.writes().map((write) => write.split(' in ')[0]), [PUT_DEPLOYMENT]);
    assert.equal((await world.targetSecret()).metadata.resourceVersion, secret.metadata.resourceVersion);
  });

  for (const operation of [PUT_SECRET, PUT_DEPLOYMENT]) {
    test(`${operation}: its answer is lost, the next attempt sees that it was done`, async () => {
      const { intent } = await stageNew('credential_1');
      tap.after(operation, lost);
      await assert.rejects(adapter.publish(committed(intent)), UNAVAILABLE);
      tap.operations.length = 0;
      await adapter.publish(committed(intent));
      assert.ok(!tap.writes().some((write) => write.startsWith(operation)), tap.writes().join('\n'));
    });

    test(`${operation}: answered 500, nothing is retried and the attempt is unavailable`, async () => {
      const { intent } = await stageNew('credential_1');
      tap.before(operation, async () => {
        throw new KubernetesApiError({ code: 'status', status: 500, operation, detail: '500 InternalError' });
      });
      tap.operations.length = 0;
      await assert.rejects(adapter.publish(committed(intent)), UNAVAILABLE);
      assert.equal(tap.operations.filter((call) => call.startsWith(operation)).length, 1);
    });
  }

  test('a stranger changes the Secret between read and replace: refused, and the stranger\'s change stays', async () => {
    const { intent } = await stageNew('credential_1');
    tap.before(PUT_SECRET, async () => {
      await edit<Secret>(world.admin, targetSecretPath(world.options), (secret) => ({
        ...secret,
        metadata: { ...secret.metadata, labels: { ...secret.metadata.labels, stranger: 'yes' } },
      }));
    });
    await assert.rejects(adapter.publish(committed(intent)), (error: WorkerCredentialDeliveryError) => {
      assert.equal(error.code, CONFLICT.code);
      assert.ok(error.cause instanceof KubernetesApiError);
      assert.equal(error.cause.status, 409);
      return true;
    });
    const secret = await world.targetSecret();
    assert.equal(secret.metadata.labels?.['stranger'], 'yes');
    assert.equal(secret.data, undefined);
    await adapter.publish(committed(intent));
    assert.equal((await world.targetSecret()).metadata.labels?.['stranger'], 'yes');
  });

  for (const operation of [PUT_SECRET, PUT_DEPLOYMENT]) {
    test(`${operation}: a rival publishes the same delivery first, both succeed with one digest`, async () => {
      const { intent } = await stageNew('credential_1');
      const rival = new WorkerCredentialKubernetesDeliveryAdapter(world.options, tapConnection(world.admin).clients);
      let rivalDigest = '';
      tap.before(operation, async () => {
        rivalDigest = await rival.publish(committed(intent));
      });
      assert.equal(await adapter.publish(committed(intent)), rivalDigest);
    });
  }

  test('a stranger changes the Deployment between read and replace: refused, then resumed', async () => {
    const { intent } = await stageNew('credential_1');
    tap.before(PUT_DEPLOYMENT, async () => {
      await edit<Deployment>(world.admin, deploymentPath(world.options), (deployment) => withAnnotation(deployment, 'example.com/stranger', 'yes'));
    });
    await assert.rejects(adapter.publish(committed(intent)), CONFLICT);
    assert.equal(annotations(await world.deployment())['qinglong.io/worker-credential-id'], undefined);
    await edit<Deployment>(world.admin, deploymentPath(world.options), (deployment) => withAnnotation(deployment, 'example.com/seen', 'yes'));
  });

  const unacceptable: Record<string, (deployment: Deployment) => Deployment> = {
    'two replicas': (deployment) => ({ ...deployment, spec: { ...deployment.spec, replicas: 2 } }),
    'scaled to zero': (deployment) => ({ ...deployment, spec: { ...deployment.spec, replicas: 0 } }),
    'a rolling update': (deployment) => ({ ...deployment, spec: { ...deployment.spec, strategy: { type: 'RollingUpdate' } } }),
    'no component label': (deployment) => ({ ...deployment, metadata: { ...deployment.metadata, labels: {} } }),
    'no projected volume': (deployment) => ({
      ...deployment,
      spec: { ...deployment.spec, template: { ...deployment.spec.template, spec: { ...deployment.spec.template.spec, volumes: [] } } },
    }),
    'another current credential': (deployment) => withAnnotation(deployment, 'qinglong.io/worker-credential-id', 'credential_9'),
    'this credential under another delivery': (deployment) => withAnnotation(deployment, 'qinglong.io/worker-credential-id', 'credential_1'),
  };
  for (const [name, change] of Object.entries(unacceptable)) {
    test(`a Deployment with ${name} is a conflict before the Secret is touched`, async () => {
      const { intent } = await stageNew('credential_1');
      await edit<Deployment>(world.admin, deploymentPath(world.options), change);
      tap.operations.length = 0;
      await assert.rejects(adapter.publish(committed(intent)), CONFLICT);
      assert.deepEqual(tap.writes(), []);
    });
  }

  const unprepared: Record<string, (secret: Secret) => Secret> = {
    'data': (secret) => ({ ...secret, data: { foreign: 'eA==' } }),
    'a foreign annotation': (secret) => ({ ...secret, metadata: { ...secret.metadata, annotations: { 'example.com/x': 'y' } } }),
    'a finalizer': (secret) => ({ ...secret, metadata: { ...secret.metadata, finalizers: ['example.com/hold'] } }),
    'another label value': (secret) => ({ ...secret, metadata: { ...secret.metadata, labels: { 'qinglong.io/worker-credential-target': 'v2' } } }),
    'a target digest': (secret) => ({
      ...secret,
      metadata: { ...secret.metadata, labels: { ...secret.metadata.labels, 'qinglong.io/worker-credential-target-digest': world.target.digestLabel } },
    }),
    'the last-applied annotation only': (secret) => ({
      ...secret,
      metadata: { ...secret.metadata, annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}' } },
    }),
  };
  for (const [name, change] of Object.entries(unprepared)) {
    const accepted = name.startsWith('the last-applied');
    test(`a target Secret with ${name} is ${accepted ? 'prepared' : 'a conflict'}`, async () => {
      const { intent } = await stageNew('credential_1');
      await edit<Secret>(world.admin, targetSecretPath(world.options), change);
      const published = adapter.publish(committed(intent));
      await (accepted ? published : assert.rejects(published, CONFLICT));
      await edit<Secret>(world.admin, targetSecretPath(world.options), (secret) => ({ ...secret, metadata: { ...secret.metadata, finalizers: [] } }));
    });
  }

  test('a record for another target, of another version, or without its stage is a conflict', async () => {
    const { intent } = draftDelivery(world, 'credential_1');
    await assert.rejects(adapter.publish(committed({ ...intent, deploymentTargetDigest: 'f'.repeat(64) })), CONFLICT);
    await assert.rejects(adapter.publish({ ...committed(intent), version: 2 }), CONFLICT);
    await assert.rejects(adapter.publish(committed(intent)), CONFLICT);
  });

  test('a ledger record that differs from its stage is a conflict', async () => {
    const { intent } = await stageNew('credential_1');
    await assert.rejects(adapter.publish(committed({ ...intent, workerId: 'worker-2' })), CONFLICT);
  });

  test('an orphaned stage is discarded; one in use only after its delivery was observed', async () => {
    const orphan = await stageNew('credential_9');
    assert.equal(await adapter.discard({ intent: orphan.intent, deliveryState: null }), true);
    assert.equal(await adapter.discard({ intent: orphan.intent, deliveryState: null }), false);

    const { intent } = await publishNew('credential_1');
    await assert.rejects(adapter.discard({ intent, deliveryState: 'published' }), CONFLICT);
    assert.equal((await world.stageSecrets()).length, 1);
    await assert.rejects(adapter.discard({ intent: { ...intent, workerId: 'worker-2' }, deliveryState: 'observed' }), CONFLICT);
    assert.equal(await adapter.discard({ intent, deliveryState: 'observed' }), true);
    assert.deepEqual(await world.stageSecrets(), []);
  });

  test('a stage that was replaced between read and delete is not deleted', async () => {
    const { intent, token } = await stageNew('credential_1');
    const [name] = (await world.stageSecrets()).map((secret) => secret.metadata.name);
    tap.before('DELETE secrets/', async () => {
      const path = `/api/v1/namespaces/${world.options.stageNamespace}/secrets/${name}`;
      await world.admin.call({ method: 'DELETE', path, operation: 'DELETE as a stranger' });
      await new WorkerCredentialKubernetesDeliveryAdapter(world.options, tapConnection(world.admin).clients).stage(intent, token);
    });
    await assert.rejects(adapter.discard({ intent, deliveryState: null }), CONFLICT);
    assert.equal((await world.stageSecrets()).length, 1);
  });

  test('the inventory goes by delivery id, a page at a time', async () => {
    const staged: string[] = [];
    for (let index = 0; index < 5; index += 1) staged.push((await stageNew(`credential_${index}`)).intent.deliveryId);
    staged.sort();
    const first = await adapter.inventory({ afterDeliveryId: null, limit: 3 });
    assert.deepEqual(first.intents.map((intent) => intent.deliveryId), staged.slice(0, 3));
    const second = await adapter.inventory({ afterDeliveryId: first.nextAfterDeliveryId, limit: 3 });
    assert.deepEqual(second.intents.map((intent) => intent.deliveryId), staged.slice(3));
    assert.equal(second.nextAfterDeliveryId, null);
    for (const limit of [0, 65, 1.5]) await assert.rejects(adapter.inventory({ afterDeliveryId: null, limit }), UNAVAILABLE);
  });

  test('with more than 128 stages nothing new is staged', async () => {
    const secrets = { ...tap.clients.secrets, list: async () => ({ items: [], truncated: true }) };
    const full = new WorkerCredentialKubernetesDeliveryAdapter(world.options, { ...tap.clients, secrets });
    const { intent, token } = draftDelivery(world, 'credential_1');
    await assert.rejects(full.stage(intent, token), UNAVAILABLE);
    assert.deepEqual(await world.stageSecrets(), []);
  });

  test('a stage of the wrong shape is unavailable, one that contradicts itself a conflict', async () => {
    const { intent } = draftDelivery(world, 'credential_1');
    await plant({ intent: { ...intent, deliveryId: randomUUID() } });
    await assert.rejects(adapter.findStage(intent.deliveryId), CONFLICT);
    await world.reset();
    await plant({ intent, type: 'Opaque' });
    await assert.rejects(adapter.findStage(intent.deliveryId), UNAVAILABLE);
    await world.reset();
    await plant({ intent });
    await assert.rejects(adapter.findStage(intent.deliveryId), CONFLICT, 'its token is not the one of the intent');

    async function plant(stage: { intent: DeliveryIntent; type?: string }): Promise<void> {
      await tap.clients.secrets.create(
        {
          metadata: {
            name: `ql3w-stage-${intent.deliveryId.replaceAll('-', '')}`,
            namespace: world.options.stageNamespace,
            labels: { 'app.kubernetes.io/managed-by': 'qinglong3', 'qinglong.io/worker-credential-stage': 'v1' },
            annotations: {
              'qinglong.io/worker-credential-delivery-id': intent.deliveryId,
              'qinglong.io/worker-credential-intent': JSON.stringify(stage.intent),
            },
          },
          type: stage.type ?? 'qinglong.io/worker-credential-stage-v1',
          immutable: true,
          data: { credentialToken: Buffer.from('not the token').toString('base64') },
        },
        { fieldManager: 'stranger', fieldValidation: 'Strict' },
      );
    }
  });

  test('no error names a token', async () => {
    const { intent, token } = await stageNew('credential_1');
    tap.before(PUT_SECRET, lost);
    await assert.rejects(adapter.publish(committed(intent)), (error: Error) => {
      for (let at: unknown = error; at instanceof Error; at = at.cause) {
        assert.ok(!`${at.message}${at.stack}${JSON.stringify(at)}`.includes(token.toString('latin1')));
        assert.ok(!`${at.message}${at.stack}${JSON.stringify(at)}`.includes(token.toString('base64')));
      }
      return true;
    });
  });
});

function committed(intent: DeliveryIntent): DeliveryRecord {
  return committedRecord(intent, intent.stagedAtMs);
}

async function lost(): Promise<void> {
  throw new KubernetesApiError({ code: 'network', operation: 'test', detail: 'no answer: ECONNRESET' });
}

function withAnnotation(deployment: Deployment, key: string, value: string): Deployment {
  const { template } = deployment.spec;
  const annotations = { ...template.metadata?.annotations, [key]: value };
  return { ...deployment, spec: { ...deployment.spec, template: { ...template, metadata: { ...template.metadata, annotations } } } };
}
