import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { POD_TEMPLATE_ANNOTATIONS, stageSecretName, targetDigestLabelValue } from './annotations.ts';
import { digests, uuids } from './domain-arbitraries.ts';

test('the five PodTemplate annotations are the documented ones', () => {
  assert.deepEqual(
    POD_TEMPLATE_ANNOTATIONS,
    ['delivery-id', 'id', 'generation', 'token-digest', 'publication-digest'].map((suffix) => `qinglong.io/worker-credential-${suffix}`),
  );
});

test('a stage Secret is named after its delivery, within the limits of a DNS label', () => {
  assert.equal(stageSecretName('11111111-2222-4333-8444-555555555555'), 'ql3w-stage-11111111222243338444555555555555');
  fc.assert(fc.property(uuids, (id) => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/u.test(stageSecretName(id))));
});

test('the target digest label holds all 32 bytes in at most 63 characters', () => {
  fc.assert(
    fc.property(digests, (digest) => {
      const value = targetDigestLabelValue(digest);
      return value.length <= 63 && Buffer.from(value, 'base64url').toString('hex') === digest;
    }),
  );
});
