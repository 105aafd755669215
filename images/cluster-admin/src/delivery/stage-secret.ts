import {
  DELIVERY_ID_ANNOTATION,
  INTENT_ANNOTATION,
  MANAGED_BY,
  MANAGED_BY_LABEL,
  STAGE_DATA_KEY,
  STAGE_LABEL,
  STAGE_LABEL_VALUE,
  STAGE_SECRET_TYPE,
  stageSecretName,
} from '../../../core/annotations.ts';
import { tokenDigest } from '../../../core/credential-token.ts';
import {
  deliveryIntentsEqual,
  parseDeliveryIntent,
  serialiseDeliveryIntent,
  type DeliveryIntent,
} from '../../../core/delivery.ts';
import type { Secret } from '../kubernetes/api-objects.ts';
import type { NewSecret } from '../kubernetes/secrets-client.ts';
import { deliveryConflict, deliveryUnavailable } from './delivery-error.ts';
import { decodeToken } from './token-data.ts';

export const STAGE_SELECTOR = `${MANAGED_BY_LABEL}=${MANAGED_BY},${STAGE_LABEL}=${STAGE_LABEL_VALUE}`;

export interface Stage {
  readonly intent: DeliveryIntent;
  /** The token in base64, as the target Secret will carry it. */
  readonly tokenBase64: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

export function stageSecretOf(namespace: string, intent: DeliveryIntent, token: Buffer): NewSecret {
  return {
    metadata: {
      name: stageSecretName(intent.deliveryId),
      namespace,
      labels: { [MANAGED_BY_LABEL]: MANAGED_BY, [STAGE_LABEL]: STAGE_LABEL_VALUE },
      annotations: {
        [DELIVERY_ID_ANNOTATION]: intent.deliveryId,
        [INTENT_ANNOTATION]: serialiseDeliveryIntent(intent),
      },
    },
    type: STAGE_SECRET_TYPE,
    immutable: true,
    data: { [STAGE_DATA_KEY]: token.toString('base64') },
  };
}

/**
 * Reads a stage. One that was not written by delivery, or is being deleted, is
 * unavailable; one whose parts contradict each other is a conflict.
 */
export function readStage(secret: Secret): Stage {
  const { metadata } = secret;
  const fault = findShapeFault(secret);
  if (fault !== null) throw deliveryUnavailable(`${describe(secret)}: ${fault}`);
  const tokenBase64 = secret.data![STAGE_DATA_KEY]!;
  const intent = readIntent(secret);
  if (metadata.annotations?.[DELIVERY_ID_ANNOTATION] !== intent.deliveryId || metadata.name !== stageSecretName(intent.deliveryId)) {
    throw deliveryConflict(`${describe(secret)}: name, delivery id annotation and intent name different deliveries`);
  }
  if (digestOf(secret, tokenBase64) !== intent.tokenDigest) {
    throw deliveryConflict(`${describe(secret)}: token digest differs from the intent's ${intent.tokenDigest}`);
  }
  return { intent, tokenBase64, uid: metadata.uid, resourceVersion: metadata.resourceVersion };
}

/** Requires that the stage holds this very intent; with the digest checked on reading, equal intents mean equal bytes. */
export function assertStageOf(stage: Stage, intent: DeliveryIntent): void {
  if (!deliveryIntentsEqual(stage.intent, intent)) {
    throw deliveryConflict(`stage of delivery ${intent.deliveryId}: its intent differs from the ledger's`);
  }
}

function findShapeFault(secret: Secret): string | null {
  const { metadata } = secret;
  if (metadata.deletionTimestamp !== undefined) return 'is being deleted';
  if ((metadata.finalizers?.length ?? 0) > 0) return 'has finalizers';
  if (secret.type !== STAGE_SECRET_TYPE) return `type is not ${STAGE_SECRET_TYPE}`;
  if (secret.immutable !== true) return 'is not immutable';
  if (metadata.labels?.[MANAGED_BY_LABEL] !== MANAGED_BY) return `label ${MANAGED_BY_LABEL} is not ${MANAGED_BY}`;
  if (metadata.labels?.[STAGE_LABEL] !== STAGE_LABEL_VALUE) return `label ${STAGE_LABEL} is not ${STAGE_LABEL_VALUE}`;
  const keys = Object.keys(secret.data ?? {});
  if (keys.length !== 1 || keys[0] !== STAGE_DATA_KEY) return `data has not exactly the key ${STAGE_DATA_KEY}`;
  return null;
}

function readIntent(secret: Secret): DeliveryIntent {
  try {
    return parseDeliveryIntent(secret.metadata.annotations?.[INTENT_ANNOTATION] ?? '');
  } catch (cause) {
    throw deliveryUnavailable(`${describe(secret)}: annotation ${INTENT_ANNOTATION} is not an intent`, cause);
  }
}

function digestOf(secret: Secret, tokenBase64: string): string {
  const token = decodeToken(tokenBase64);
  if (token === null) throw deliveryUnavailable(`${describe(secret)}: ${STAGE_DATA_KEY} is not a token of 1 to 256 bytes`);
  try {
    return tokenDigest(token);
  } finally {
    token.fill(0);
  }
}

function describe(secret: Secret): string {
  return `stage Secret ${secret.metadata.namespace}/${secret.metadata.name}`;
}
