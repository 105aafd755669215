import { sha256Hex } from './digest.ts';
import { DomainError, describeValue, type DomainIssue } from './errors.ts';
import {
  assertClusterIdentity,
  assertDigest,
  credentialIdRule,
  deploymentGenerationRule,
  digestRule,
  uuidV4Rule,
  workerIdRule,
} from './identifiers.ts';
import { parseJsonText } from './json-text.ts';
import { exactly, instantMs, literal, nullable, readAs, type Shape } from './shape.ts';

export const MAXIMUM_INTENT_BYTES = 4_096;

/** What one delivery is meant to do. It never changes during the life of the delivery. */
export interface DeliveryIntent {
  readonly deliveryId: string;
  readonly workerId: string;
  readonly credentialId: string;
  readonly credentialVersion: 1;
  readonly previousCredentialId: string | null;
  readonly secretDigest: string;
  readonly tokenDigest: string;
  readonly deploymentTargetDigest: string;
  readonly deploymentGeneration: string;
  readonly stagedAtMs: number;
}

export const deliveryIntentShape: Shape<DeliveryIntent> = {
  deliveryId: uuidV4Rule,
  workerId: workerIdRule,
  credentialId: credentialIdRule,
  credentialVersion: literal(1),
  previousCredentialId: nullable(credentialIdRule),
  secretDigest: digestRule,
  tokenDigest: digestRule,
  deploymentTargetDigest: digestRule,
  deploymentGeneration: deploymentGenerationRule,
  stagedAtMs: instantMs,
};

const intentRule = exactly<DeliveryIntent>(deliveryIntentShape);

/** Checks an intent that is already an object; the result is frozen and has its keys in the documented order. */
export function readDeliveryIntent(value: unknown): DeliveryIntent {
  return readAs('QL3_DELIVERY_INTENT_INVALID', 'the delivery intent', intentRule, value, requireAnotherPredecessor);
}

/** Reads the intent annotation of a stage Secret. */
export function parseDeliveryIntent(text: string): DeliveryIntent {
  return readDeliveryIntent(
    parseJsonText('QL3_DELIVERY_INTENT_INVALID', 'the delivery intent', text, MAXIMUM_INTENT_BYTES),
  );
}

/** The intent as JSON of at most 4096 bytes, keys in the documented order. */
export function serialiseDeliveryIntent(intent: DeliveryIntent): string {
  return JSON.stringify(readDeliveryIntent(intent));
}

export function deliveryIntentsEqual(left: DeliveryIntent, right: DeliveryIntent): boolean {
  return serialiseDeliveryIntent(left) === serialiseDeliveryIntent(right);
}

export function requireAnotherPredecessor(
  intent: { readonly credentialId: string; readonly previousCredentialId: string | null },
  issues: DomainIssue[],
): void {
  if (intent.previousCredentialId === intent.credentialId) {
    issues.push({
      path: 'previousCredentialId',
      expected: 'another credential than credentialId',
      got: 'the same credential',
    });
  }
}

/** Where a credential is delivered to: the two namespaces and three names that an operator configures. */
export interface DeploymentTarget {
  readonly clusterIdentity: string;
  readonly stageNamespace: string;
  readonly namespace: string;
  readonly targetSecretName: string;
  readonly targetDataKey: string;
  readonly targetDeploymentName: string;
}

const TARGET_DOMAIN = 'qinglong/worker-credential-kubernetes-target@v3\0';
const PUBLICATION_DOMAIN = 'qinglong/worker-credential-kubernetes-publication@v3\0';

export function deploymentTargetDigest(target: DeploymentTarget): string {
  assertClusterIdentity(target.clusterIdentity, 'the cluster identity');
  const names = [
    target.clusterIdentity,
    target.stageNamespace,
    target.namespace,
    target.targetSecretName,
    target.targetDataKey,
    target.targetDeploymentName,
  ];
  const unusable = names.find((name) => name === '' || name.includes('\0'));
  if (unusable !== undefined) {
    throw new DomainError('QL3_IDENTIFIER_INVALID', 'the deployment target', [
      { path: '', expected: 'six names that are not empty and hold no NUL', got: describeValue(unusable) },
    ]);
  }
  return sha256Hex(TARGET_DOMAIN, names.join('\0'));
}

export type PublishedFields = Pick<
  DeliveryIntent,
  | 'deliveryId'
  | 'workerId'
  | 'credentialId'
  | 'credentialVersion'
  | 'previousCredentialId'
  | 'tokenDigest'
  | 'deploymentGeneration'
>;

/** Binds a delivery to the very Secret object (by UID) that carries it. */
export function publicationDigest(
  targetDigest: string,
  targetSecretUid: string,
  delivery: PublishedFields,
): string {
  assertDigest(targetDigest, 'the target digest');
  if (targetSecretUid === '' || targetSecretUid.includes('\0')) {
    throw new DomainError('QL3_IDENTIFIER_INVALID', 'the target Secret UID', [
      { path: '', expected: 'the UID that the API server gave', got: describeValue(targetSecretUid) },
    ]);
  }
  const { deliveryId, workerId, credentialId, credentialVersion, previousCredentialId, tokenDigest, deploymentGeneration } =
    delivery;
  const json = JSON.stringify({
    deliveryId,
    workerId,
    credentialId,
    credentialVersion,
    previousCredentialId,
    tokenDigest,
    deploymentGeneration,
  });
  return sha256Hex(PUBLICATION_DOMAIN, targetDigest, '\0', targetSecretUid, '\0', json);
}
