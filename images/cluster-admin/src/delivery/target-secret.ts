import {
  DELIVERY_ID_ANNOTATION,
  GENERATION_ANNOTATION,
  LAST_APPLIED_ANNOTATION,
  TARGET_ACTIVE,
  TARGET_DIGEST_LABEL,
  TARGET_LABEL,
  TARGET_PREPARED,
  TOKEN_DIGEST_ANNOTATION,
} from '../../../core/annotations.ts';
import { parseCredentialToken, tokenDigest } from '../../../core/credential-token.ts';
import type { DeliveryIntent } from '../../../core/delivery.ts';
import type { Secret } from '../kubernetes/api-objects.ts';
import { deliveryConflict } from './delivery-error.ts';
import type { DeliveryTarget } from './delivery-target.ts';
import { decodeToken } from './token-data.ts';

/** What the target Secret holds now. */
export type TargetContent =
  | { readonly state: 'prepared' }
  | {
      readonly state: 'active';
      readonly deliveryId: string;
      readonly generation: string;
      readonly tokenDigest: string;
      readonly credentialId: string;
    };

/** Reads the target Secret; whatever is neither prepared nor active for this target is a conflict. */
export function readTargetContent(secret: Secret, target: DeliveryTarget): TargetContent {
  const { metadata } = secret;
  const name = `target Secret ${metadata.namespace}/${metadata.name}`;
  if (metadata.deletionTimestamp !== undefined) throw deliveryConflict(`${name}: is being deleted`);
  if (secret.type !== 'Opaque') throw deliveryConflict(`${name}: type is not Opaque`);
  if (secret.immutable === true) throw deliveryConflict(`${name}: is immutable`);
  switch (metadata.labels?.[TARGET_LABEL]) {
    case TARGET_PREPARED:
      assertPrepared(secret, name);
      return { state: 'prepared' };
    case TARGET_ACTIVE:
      return readActive(secret, target, name);
    default:
      throw deliveryConflict(`${name}: label ${TARGET_LABEL} is neither ${TARGET_PREPARED} nor ${TARGET_ACTIVE}`);
  }
}

/** True when the target already carries exactly this delivery. */
export function targetCarries(content: TargetContent, intent: DeliveryIntent): boolean {
  return (
    content.state === 'active' &&
    content.deliveryId === intent.deliveryId &&
    content.generation === intent.deploymentGeneration &&
    content.tokenDigest === intent.tokenDigest &&
    content.credentialId === intent.credentialId
  );
}

/** An issue starts from a prepared Secret, a rotation from the active predecessor, and nothing else from anything else. */
export function assertTargetPredecessor(content: TargetContent, intent: DeliveryIntent, target: DeliveryTarget): void {
  const name = `target Secret ${target.namespace}/${target.targetSecretName}`;
  if (intent.previousCredentialId === null) {
    if (content.state === 'prepared') return;
    throw deliveryConflict(`${name}: an issue expects it ${TARGET_PREPARED}, it is active with credential ${content.credentialId}`);
  }
  if (content.state === 'active' && content.credentialId === intent.previousCredentialId) return;
  const got = content.state === 'active' ? `credential ${content.credentialId}` : TARGET_PREPARED;
  throw deliveryConflict(`${name}: a rotation expects it active with credential ${intent.previousCredentialId}, got ${got}`);
}

/** The Secret as read, with this delivery in it; what others have put there stays. */
export function withDelivery(secret: Secret, intent: DeliveryIntent, target: DeliveryTarget, tokenBase64: string): Secret {
  const { metadata } = secret;
  return {
    ...secret,
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, [TARGET_LABEL]: TARGET_ACTIVE, [TARGET_DIGEST_LABEL]: target.digestLabel },
      annotations: {
        ...metadata.annotations,
        [DELIVERY_ID_ANNOTATION]: intent.deliveryId,
        [GENERATION_ANNOTATION]: intent.deploymentGeneration,
        [TOKEN_DIGEST_ANNOTATION]: intent.tokenDigest,
      },
    },
    data: { [target.targetDataKey]: tokenBase64 },
  };
}

function assertPrepared(secret: Secret, name: string): void {
  const { metadata } = secret;
  if (metadata.labels?.[TARGET_DIGEST_LABEL] !== undefined) throw deliveryConflict(`${name}: prepared, but has a target digest`);
  if (Object.keys(secret.data ?? {}).length > 0) throw deliveryConflict(`${name}: prepared, but has data`);
  if ((metadata.ownerReferences?.length ?? 0) > 0) throw deliveryConflict(`${name}: prepared, but has an owner`);
  if ((metadata.finalizers?.length ?? 0) > 0) throw deliveryConflict(`${name}: prepared, but has a finalizer`);
  const foreign = Object.keys(metadata.annotations ?? {}).filter((key) => key !== LAST_APPLIED_ANNOTATION);
  if (foreign.length > 0) throw deliveryConflict(`${name}: prepared, but has annotation ${foreign[0]}`);
}

function readActive(secret: Secret, target: DeliveryTarget, name: string): TargetContent {
  const { labels, annotations } = secret.metadata;
  if (labels?.[TARGET_DIGEST_LABEL] !== target.digestLabel) {
    throw deliveryConflict(`${name}: label ${TARGET_DIGEST_LABEL} is not that of target ${target.digest}`);
  }
  const keys = Object.keys(secret.data ?? {});
  if (keys.length !== 1 || keys[0] !== target.targetDataKey) {
    throw deliveryConflict(`${name}: active, but data has not exactly the key ${target.targetDataKey}`);
  }
  const [deliveryId, generation, digest] = [DELIVERY_ID_ANNOTATION, GENERATION_ANNOTATION, TOKEN_DIGEST_ANNOTATION].map((key) => {
    const value = annotations?.[key];
    if (value === undefined || value === '') throw deliveryConflict(`${name}: active, but has no annotation ${key}`);
    return value;
  }) as [string, string, string];
  return { state: 'active', deliveryId, generation, tokenDigest: digest, credentialId: readCredentialId(secret.data![target.targetDataKey]!, digest, name) };
}

/** The token itself says whose it is; the annotations only repeat it. */
function readCredentialId(tokenBase64: string, expectedDigest: string, name: string): string {
  const token = decodeToken(tokenBase64);
  if (token === null) throw deliveryConflict(`${name}: data is not a token of 1 to 256 bytes`);
  try {
    if (tokenDigest(token) !== expectedDigest) throw deliveryConflict(`${name}: token differs from annotation ${TOKEN_DIGEST_ANNOTATION}`);
    return parseCredentialId(token, name);
  } finally {
    token.fill(0);
  }
}

function parseCredentialId(token: Buffer, name: string): string {
  try {
    return parseCredentialToken(token).credentialId;
  } catch (cause) {
    throw deliveryConflict(`${name}: data is not a Worker credential token`, cause);
  }
}
