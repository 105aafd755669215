import type { DeliveryIntent } from '../../../core/delivery.ts';
import type { DeliveryRecord, DeliveryState } from '../../../core/delivery-record.ts';

export interface StagePageRequest {
  /** Delivery id of the last stage seen; null for the first page. */
  readonly afterDeliveryId: string | null;
  /** 1 to 64, 16 if not given. */
  readonly limit?: number;
}

export interface StagePage {
  readonly intents: readonly DeliveryIntent[];
  /** To ask for the next page with; null on the last one. */
  readonly nextAfterDeliveryId: string | null;
}

export interface DiscardRequest {
  readonly intent: DeliveryIntent;
  /** State of the delivery in the ledger, null when a tombstone says that it was never committed. */
  readonly deliveryState: DeliveryState | null;
}

/** How a credential reaches the Pod of its Worker. Throws WorkerCredentialDeliveryError alone. */
export interface WorkerCredentialDelivery {
  /** Digest of where this delivery leads; deliveries for another target are refused. */
  readonly targetDigest: string;
  /** Keeps the token until it is published. Idempotent for an equal intent and equal bytes. The caller zeroes the token. */
  stage(intent: DeliveryIntent, token: Buffer): Promise<void>;
  /** The intent of a staged delivery, null when there is no stage of that id. */
  findStage(deliveryId: string): Promise<DeliveryIntent | null>;
  /** Publishes a staged delivery of version 1 and returns the publication digest. Idempotent. */
  publish(record: DeliveryRecord): Promise<string>;
  /** Removes a stage that is no longer needed; false when there was none. */
  discard(request: DiscardRequest): Promise<boolean>;
  inventory(request: StagePageRequest): Promise<StagePage>;
}
