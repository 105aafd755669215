import { sha256Hex } from './digest.ts';
import { actionRefRule, credentialIdRule, deploymentGenerationRule, digestRule, requestIdRule, uuidV4Rule, workerIdRule } from './identifiers.ts';
import { parseJsonText } from './json-text.ts';
import { exactly, literal, readAs } from './shape.ts';

export type ExecutionState = 'pending' | 'leased' | 'executing' | 'succeeded' | 'failed' | 'blocked' | 'retry_wait';

export const EXECUTION_STATES: readonly ExecutionState[] = [
  'pending',
  'leased',
  'executing',
  'succeeded',
  'failed',
  'blocked',
  'retry_wait',
];

export const EXECUTION_LEASE_MS: number = 10 * 60_000;
export const EXECUTION_RESULT_CODE = 'worker_credential_published';
export const MAXIMUM_COMMAND_BYTES = 16_384;

const RESULT_DOMAIN = 'qinglong/worker-credential-execution-result@v1\0';

export function isFinalExecutionState(state: ExecutionState): boolean {
  return state === 'succeeded' || state === 'failed' || state === 'blocked';
}

/** The content of the executor's command file. */
export interface ExecutionCommand {
  readonly schemaVersion: 1;
  readonly actionRef: string;
  readonly approvalRequestId: string;
  readonly consumptionId: string;
  readonly dispatchId: string;
  readonly auditEventId: string;
}

const commandRule = exactly<ExecutionCommand>({
  schemaVersion: literal(1),
  actionRef: actionRefRule,
  approvalRequestId: requestIdRule,
  consumptionId: requestIdRule,
  dispatchId: requestIdRule,
  auditEventId: uuidV4Rule,
});

export function readExecutionCommand(value: unknown): ExecutionCommand {
  return readAs('QL3_EXECUTION_COMMAND_INVALID', 'the execution command', commandRule, value);
}

export function parseExecutionCommand(text: string | Uint8Array): ExecutionCommand {
  return readExecutionCommand(
    parseJsonText('QL3_EXECUTION_COMMAND_INVALID', 'the execution command', text, MAXIMUM_COMMAND_BYTES),
  );
}

export interface ExecutionResult {
  readonly deliveryId: string;
  readonly credentialId: string;
  readonly workerId: string;
  readonly deploymentGeneration: string;
  readonly publicationDigest: string;
}

const resultRule = exactly<ExecutionResult>({
  deliveryId: uuidV4Rule,
  credentialId: credentialIdRule,
  workerId: workerIdRule,
  deploymentGeneration: deploymentGenerationRule,
  publicationDigest: digestRule,
});

/** What a succeeded execution leaves behind, so that a replay can prove it means the same publication. */
export function executionResultDigest(result: ExecutionResult): string {
  const { deliveryId, credentialId, workerId, deploymentGeneration, publicationDigest } = result;
  const read = readAs('QL3_EXECUTION_INVALID', 'the execution result', resultRule, {
    deliveryId,
    credentialId,
    workerId,
    deploymentGeneration,
    publicationDigest,
  });
  return sha256Hex(RESULT_DOMAIN, JSON.stringify(read));
}
