import { readDeliveryIntent, type DeliveryIntent } from '../../../core/delivery.ts';
import { deliveryIntentOf, type DeliveryRecord } from '../../../core/delivery-record.ts';
import { tokenDigest } from '../../../core/credential-token.ts';
import type { DiscardRequest, StagePage, StagePageRequest, WorkerCredentialDelivery } from './delivery.ts';
import { deliveryConflict, toDeliveryError } from './delivery-error.ts';
import { resolveDeliveryTarget, type DeliveryTarget, type DeliveryTargetOptions } from './delivery-target.ts';
import { Publication, type DeliveryClients } from './publication.ts';
import { readStagePage } from './stage-inventory.ts';
import { assertStageOf } from './stage-secret.ts';
import { StageStore } from './stage-store.ts';
import { readTargetContent } from './target-secret.ts';

/**
 * Delivers Worker credentials through Kubernetes: a stage Secret, then the target
 * Secret, then the Deployment's template. Uses the two clients it is given and
 * nothing else: no watch, no patch, no timer, no retry, no cache.
 */
export class WorkerCredentialKubernetesDeliveryAdapter implements WorkerCredentialDelivery {
  readonly #target: DeliveryTarget;
  readonly #clients: DeliveryClients;
  readonly #stages: StageStore;

  constructor(options: DeliveryTargetOptions, clients: DeliveryClients) {
    this.#target = resolveDeliveryTarget(options);
    this.#clients = clients;
    this.#stages = new StageStore(this.#target.stageNamespace, clients.secrets);
  }

  get targetDigest(): string {
    return this.#target.digest;
  }

  async stage(intent: DeliveryIntent, token: Buffer): Promise<void> {
    const read = readDeliveryIntent(intent);
    this.#assertTarget(read);
    if (tokenDigest(token) !== read.tokenDigest) {
      throw deliveryConflict(`delivery ${read.deliveryId}: the token to stage is not the one its intent names`);
    }
    await this.#stages.put(read, token);
  }

  async findStage(deliveryId: string): Promise<DeliveryIntent | null> {
    return (await this.#stages.find(deliveryId))?.intent ?? null;
  }

  async publish(record: DeliveryRecord): Promise<string> {
    const intent = deliveryIntentOf(record);
    this.#assertTarget(intent);
    if (record.version !== 1) {
      throw deliveryConflict(`delivery ${record.deliveryId}: only version 1 can be published, got ${record.version}`);
    }
    const stage = await this.#stages.find(intent.deliveryId);
    if (stage === null) throw deliveryConflict(`delivery ${intent.deliveryId}: its stage Secret does not exist`);
    assertStageOf(stage, intent);
    return new Publication(this.#target, this.#clients, stage).publish();
  }

  async discard({ intent, deliveryState }: DiscardRequest): Promise<boolean> {
    this.#assertTarget(intent);
    const stage = await this.#stages.find(intent.deliveryId);
    if (stage === null) return false;
    assertStageOf(stage, intent);
    if (deliveryState !== 'observed' && deliveryState !== 'previous_revoked') await this.#assertUnused(intent);
    await this.#stages.remove(stage);
    return true;
  }

  inventory(request: StagePageRequest): Promise<StagePage> {
    return readStagePage(this.#stages, request);
  }

  /** A stage whose token the Worker may be about to use is the only copy that a resumed delivery could publish again. */
  async #assertUnused(intent: DeliveryIntent): Promise<void> {
    const { namespace, targetSecretName } = this.#target;
    const name = `target Secret ${namespace}/${targetSecretName}`;
    try {
      const content = readTargetContent(await this.#clients.secrets.read(namespace, targetSecretName), this.#target);
      if (content.state === 'prepared' || content.tokenDigest !== intent.tokenDigest) return;
    } catch (cause) {
      throw toDeliveryError(cause, `${name} cannot be read`);
    }
    throw deliveryConflict(`delivery ${intent.deliveryId}: its token is active in ${name} and not yet observed`);
  }

  #assertTarget(intent: DeliveryIntent): void {
    if (intent.deploymentTargetDigest !== this.#target.digest) {
      throw deliveryConflict(
        `delivery ${intent.deliveryId}: is for target ${intent.deploymentTargetDigest}, this one is ${this.#target.digest}`,
      );
    }
  }
}
