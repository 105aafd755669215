import { createCredentialToken, parseCredentialToken, secretDigest, tokenDigest } from '../../../core/credential-token.ts';
import type { DeliveryIntent } from '../../../core/delivery.ts';
import type { DeliveryRecord } from '../../../core/delivery-record.ts';
import type { Database } from '../../../postgres/connection.ts';
import { findDelivery } from '../../../postgres/repositories/delivery-ledger.ts';
import { inTransaction } from '../../../postgres/transaction.ts';
import type { WorkerCredentialDelivery } from '../delivery/delivery.ts';
import { commitDelivery, recordPublication } from './commit-delivery.ts';
import { discardOrphan } from './discard-orphan.ts';
import { IssueError } from './issue-error.ts';
import { differenceFromPlan, type IssueEvent, type IssueOutcome, type IssueRequest } from './issue-request.ts';

export interface IssuerParts {
  readonly database: Database;
  readonly delivery: WorkerCredentialDelivery;
  /** 32 bytes; owned, and zeroed, by the caller. */
  readonly pepper: Buffer;
  readonly onEvent?: (event: IssueEvent) => void;
}

/**
 * Brings the credential of a plan to its Worker: stage, commit, publish, version 2,
 * in this order. Whatever an earlier attempt has left is continued: a committed
 * delivery is published, a stage that was never committed is thrown away first.
 */
export async function issueCredential(parts: IssuerParts, request: IssueRequest): Promise<IssueOutcome> {
  const { deliveryId } = request.plan.target;
  const known = await findKnown(parts, request);
  if (known !== null) return resume(parts, known);
  const orphan = await parts.delivery.findStage(deliveryId);
  if (orphan !== null) {
    if (!(await discardOrphan(parts.database, parts.delivery, orphan))) return resume(parts, await requireKnown(parts, request));
    parts.onEvent?.({ event: 'orphaned_stage_discarded', deliveryId, tokenDigest: orphan.tokenDigest });
  }
  const record = await stageAndCommit(parts, request);
  return { ...(await publish(parts, record)), status: 'published' };
}

async function resume(parts: IssuerParts, record: DeliveryRecord): Promise<IssueOutcome> {
  if (record.publicationDigest === null) return publish(parts, record);
  return { status: 'existing', deliveryId: record.deliveryId, credentialId: record.credentialId, publicationDigest: record.publicationDigest };
}

async function stageAndCommit(parts: IssuerParts, request: IssueRequest): Promise<DeliveryRecord> {
  const token = createCredentialToken(request.plan.target.credentialId);
  try {
    const intent = toIntent(request, token, parts.pepper);
    await parts.delivery.stage(intent, token);
    parts.onEvent?.({ event: 'staged', deliveryId: intent.deliveryId, tokenDigest: intent.tokenDigest });
    const record = await commitDelivery(parts.database, request, intent);
    parts.onEvent?.({ event: 'credential_committed', deliveryId: intent.deliveryId, credentialId: intent.credentialId });
    return record;
  } finally {
    token.fill(0);
  }
}

/** Also what recovery does with a delivery of version 1. */
export async function publish(parts: Pick<IssuerParts, 'database' | 'delivery' | 'onEvent'>, record: DeliveryRecord): Promise<IssueOutcome> {
  const { deliveryId, credentialId } = record;
  const publicationDigest = await parts.delivery.publish(record);
  await recordPublication(parts.database, record, publicationDigest);
  parts.onEvent?.({ event: 'published', deliveryId, publicationDigest });
  return { status: 'existing', deliveryId, credentialId, publicationDigest };
}

async function findKnown({ database }: IssuerParts, { plan }: IssueRequest): Promise<DeliveryRecord | null> {
  const { target } = plan;
  const record = await inTransaction(database, (sql) => findDelivery(sql, target.deliveryId));
  const difference = record === null ? null : differenceFromPlan(record, target);
  if (difference === null) return record;
  throw new IssueError('QL3_WORKER_CREDENTIAL_ISSUE_CONFLICT', `delivery ${target.deliveryId} was committed with another ${difference} than plan ${plan.actionRef} has`);
}

async function requireKnown(parts: IssuerParts, request: IssueRequest): Promise<DeliveryRecord> {
  const known = await findKnown(parts, request);
  if (known !== null) return known;
  throw new IssueError('QL3_WORKER_CREDENTIAL_ISSUE_CONFLICT', `delivery ${request.plan.target.deliveryId} was committed and is not there`);
}

function toIntent({ plan }: IssueRequest, token: Buffer, pepper: Buffer): DeliveryIntent {
  const { target } = plan;
  return {
    deliveryId: target.deliveryId,
    workerId: target.workerId,
    credentialId: target.credentialId,
    credentialVersion: 1,
    previousCredentialId: target.previousCredentialId,
    secretDigest: secretDigest(pepper, target.credentialId, parseCredentialToken(token).secret),
    tokenDigest: tokenDigest(token),
    deploymentTargetDigest: target.deploymentTargetDigest,
    deploymentGeneration: target.deploymentGeneration,
    stagedAtMs: Date.now(),
  };
}
