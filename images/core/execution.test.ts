import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import test from 'node:test';
import fc from 'fast-check';
import { digests, names, reversedKeys, uuids } from './domain-arbitraries.ts';
import { DomainError } from './errors.ts';
import { executionResultDigest, parseExecutionCommand, type ExecutionCommand } from './execution.ts';

const COMMAND: ExecutionCommand = {
  schemaVersion: 1,
  actionRef: 'live/issue-1',
  approvalRequestId: 'request-1',
  consumptionId: 'consumption-1',
  dispatchId: 'dispatch-1',
  auditEventId: '11111111-1111-4111-8111-111111111111',
};

test('the result digest is the documented SHA-256', () => {
  const result = {
    deliveryId: '11111111-1111-4111-8111-111111111111',
    credentialId: 'live_generation_4',
    workerId: 'worker-1',
    deploymentGeneration: 'generation-4',
    publicationDigest: 'f'.repeat(64),
  };
  assert.equal(executionResultDigest(result), '48472219f0adfd2c9b123b3e13437d22246e427d43608bf9b7ac5a7b0dd90ab1');
  const results = fc.record({ deliveryId: uuids, credentialId: fc.constant('c'), workerId: names, deploymentGeneration: names, publicationDigest: digests });
  fc.assert(
    fc.property(results, (any) => {
      const { deliveryId, credentialId, workerId, deploymentGeneration, publicationDigest } = any;
      const json = JSON.stringify({ deliveryId, credentialId, workerId, deploymentGeneration, publicationDigest });
      const expected = createHash('sha256').update(`qinglong/worker-credential-execution-result@v1\0${json}`).digest('hex');
      assert.equal(executionResultDigest(reversedKeys(any)), expected);
    }),
  );
});

test('a command file is read exactly', () => {
  assert.deepEqual({ ...parseExecutionCommand(JSON.stringify(COMMAND)) }, COMMAND);
  assert.deepEqual({ ...parseExecutionCommand(Buffer.from(JSON.stringify(COMMAND, null, 2))) }, COMMAND);
});

test('a command file with any fault is refused with its code', () => {
  const faults: readonly (string | Uint8Array)[] = [
    ...Object.keys(COMMAND).map((key) => JSON.stringify({ ...COMMAND, [key]: undefined })),
    ...Object.keys(COMMAND).map((key) => JSON.stringify({ ...COMMAND, [key]: ['x'] })),
    JSON.stringify({ ...COMMAND, schemaVersion: 2 }),
    JSON.stringify({ ...COMMAND, auditEventId: COMMAND.auditEventId.replace('-4', '-7') }),
    JSON.stringify({ ...COMMAND, more: true }),
    JSON.stringify([COMMAND]),
    `${JSON.stringify(COMMAND)} x`,
    `\uFEFF${JSON.stringify(COMMAND)}`,
    JSON.stringify(COMMAND) + ' '.repeat(16_384),
    Buffer.from([0x22, 0xff, 0x22]),
    '',
  ];
  for (const fault of faults) {
    assert.throws(
      () => parseExecutionCommand(fault),
      (error) => error instanceof DomainError && error.code === 'QL3_EXECUTION_COMMAND_INVALID',
    );
  }
});
