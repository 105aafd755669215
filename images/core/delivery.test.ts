import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import test from 'node:test';
import fc from 'fast-check';
import {
  deliveryIntentsEqual,
  deploymentTargetDigest,
  parseDeliveryIntent,
  publicationDigest,
  readDeliveryIntent,
  serialiseDeliveryIntent,
  type DeploymentTarget,
} from './delivery.ts';
import { digests, intents, reversedKeys } from './domain-arbitraries.ts';
import { DomainError } from './errors.ts';

const TARGET: DeploymentTarget = {
  clusterIdentity: 'cluster/one',
  stageNamespace: 'stage',
  namespace: 'workers',
  targetSecretName: 'ql3-worker-credential',
  targetDataKey: 'credential-token',
  targetDeploymentName: 'ql3-worker',
};

const DELIVERY = {
  deliveryId: '11111111-1111-4111-8111-111111111111',
  workerId: 'worker-1',
  credentialId: 'live_generation_4',
  credentialVersion: 1,
  previousCredentialId: 'live_generation_3',
  tokenDigest: '0123456789abcdef'.repeat(4),
  deploymentGeneration: 'generation-4',
} as const;

const isInvalidIntent = (error: unknown): boolean =>
  error instanceof DomainError && error.code === 'QL3_DELIVERY_INTENT_INVALID';

test('an intent survives its annotation, whatever order its keys had', () => {
  fc.assert(
    fc.property(intents, (intent) => {
      const text = serialiseDeliveryIntent(reversedKeys(intent));
      assert.equal(text, JSON.stringify(intent));
      assert.deepEqual({ ...parseDeliveryIntent(text) }, intent);
      assert.ok(deliveryIntentsEqual(intent, reversedKeys(intent)));
    }),
  );
});

test('an intent with one key more, less or of another type is refused', () => {
  fc.assert(
    fc.property(intents, fc.nat(9), fc.constantFrom(undefined, {}, [], true, 'x y', -1), (intent, index, wrong) => {
      const key = Object.keys(intent)[index]!;
      const { [key as keyof typeof intent]: _, ...less } = intent;
      assert.throws(() => readDeliveryIntent(less), isInvalidIntent);
      assert.throws(() => readDeliveryIntent({ ...intent, extra: 1 }), isInvalidIntent);
      assert.throws(() => readDeliveryIntent({ ...intent, [key]: wrong }), isInvalidIntent);
      assert.throws(() => parseDeliveryIntent(`{"__proto__":{},${JSON.stringify(intent).slice(1)}`), isInvalidIntent);
    }),
  );
});

test('every fault of an intent is named, with its path', () => {
  assert.throws(
    () => readDeliveryIntent({}),
    (error) => error instanceof DomainError && error.issues.length === 10 && error.issues[0]?.path === 'deliveryId',
  );
});

test('a credential is not its own predecessor', () => {
  const [intent] = fc.sample(intents, 1);
  assert.throws(() => readDeliveryIntent({ ...intent, previousCredentialId: intent!.credentialId }), isInvalidIntent);
});

test('an intent longer than 4096 bytes, or not JSON, is refused without being quoted', () => {
  for (const text of [JSON.stringify({ deliveryId: 'x'.repeat(4_096) }), 'ql3w_secret', '', 'null', '[]', '"ql3w_secret"']) {
    assert.throws(() => parseDeliveryIntent(text), (error) => isInvalidIntent(error) && !(error as Error).message.includes('ql3w_secret'));
  }
});

test('the target digest is the documented SHA-256', () => {
  assert.equal(deploymentTargetDigest(TARGET), '20c2044b5980406f15c63882f7f0b984dcd96c53792d3c80cf931aa7044bd423');
  const text = 'qinglong/worker-credential-kubernetes-target@v3\0cluster/one\0stage\0workers\0ql3-worker-credential\0credential-token\0ql3-worker';
  assert.equal(deploymentTargetDigest(reversedKeys(TARGET)), createHash('sha256').update(text).digest('hex'));
});

test('a target cannot imitate another by moving a separator', () => {
  const shifted = { ...TARGET, stageNamespace: 'stage\0workers', namespace: '' };
  assert.throws(() => deploymentTargetDigest(shifted), DomainError);
  assert.throws(() => deploymentTargetDigest({ ...TARGET, clusterIdentity: '-cluster' }), DomainError);
});

test('the publication digest is the documented SHA-256', () => {
  const target = deploymentTargetDigest(TARGET);
  const rotate = publicationDigest(target, '2b8c6f0e-uid', DELIVERY);
  assert.equal(rotate, '20eb74be0102d3e5d59a29ba402fc03433b7f478f0dd7f8b2bb503014fa6f880');
  const issue = publicationDigest(target, '2b8c6f0e-uid', { ...DELIVERY, previousCredentialId: null });
  assert.equal(issue, '08e4fd9ec7cf7c2d444403ccdecac6af3a5f216ed5ed329441f5548a24930ac6');
});

test('the publication digest depends on the Secret, the target and each published field, and on nothing else', () => {
  fc.assert(
    fc.property(intents, digests, fc.uuid(), fc.uuid(), (intent, target, uid, otherUid) => {
      const digest = publicationDigest(target, uid, intent);
      assert.equal(publicationDigest(target, uid, reversedKeys({ ...intent, stagedAtMs: 1, secretDigest: '0'.repeat(64) })), digest);
      if (uid !== otherUid) assert.notEqual(publicationDigest(target, otherUid, intent), digest);
      assert.notEqual(publicationDigest(target, uid, { ...intent, workerId: `${intent.workerId.slice(0, 120)}x` }), digest);
    }),
  );
});
