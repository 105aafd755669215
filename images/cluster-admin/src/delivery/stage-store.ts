import { FIELD_MANAGER, stageSecretName } from '../../../core/annotations.ts';
import type { DeliveryIntent } from '../../../core/delivery.ts';
import { isConflict, isNotFound } from '../kubernetes/api-error.ts';
import type { SecretPage, SecretsClient } from '../kubernetes/secrets-client.ts';
import { deliveryUnavailable, toDeliveryError } from './delivery-error.ts';
import { assertStageOf, readStage, STAGE_SELECTOR, stageSecretOf, type Stage } from './stage-secret.ts';

/** More stages than this mean that clean-up does not run; nothing new is staged then. */
export const MAX_STAGES = 128;

/** The stage Secrets of one namespace. */
export class StageStore {
  readonly #namespace: string;
  readonly #secrets: SecretsClient;

  constructor(namespace: string, secrets: SecretsClient) {
    this.#namespace = namespace;
    this.#secrets = secrets;
  }

  async list(): Promise<readonly Stage[]> {
    let page: SecretPage;
    try {
      page = await this.#secrets.list(this.#namespace, { labelSelector: STAGE_SELECTOR, limit: MAX_STAGES + 1 });
    } catch (cause) {
      throw deliveryUnavailable(`stage Secrets in ${this.#namespace} cannot be listed`, cause);
    }
    if (page.truncated || page.items.length > MAX_STAGES) {
      throw deliveryUnavailable(`more than ${MAX_STAGES} stage Secrets in ${this.#namespace}: run the recovery command first`);
    }
    return page.items.map(readStage);
  }

  async find(deliveryId: string): Promise<Stage | null> {
    const name = stageSecretName(deliveryId);
    try {
      return readStage(await this.#secrets.read(this.#namespace, name));
    } catch (cause) {
      if (isNotFound(cause)) return null;
      throw toDeliveryError(cause, `stage Secret ${this.#namespace}/${name} cannot be read`);
    }
  }

  /** Creates the stage, or finds it already there with the same content. */
  async put(intent: DeliveryIntent, token: Buffer): Promise<void> {
    const known = (await this.list()).find((stage) => stage.intent.deliveryId === intent.deliveryId);
    if (known !== undefined) {
      assertStageOf(known, intent);
      return;
    }
    const created = await this.#create(intent, token);
    assertStageOf(created, intent);
  }

  /** Deletes exactly the stage that was read, and reads back that it is gone. */
  async remove(stage: Stage): Promise<void> {
    const name = stageSecretName(stage.intent.deliveryId);
    const { uid, resourceVersion } = stage;
    try {
      await this.#secrets.delete(this.#namespace, name, { uid, resourceVersion });
    } catch (cause) {
      if (!isNotFound(cause)) throw toDeliveryError(cause, `stage Secret ${this.#namespace}/${name} cannot be deleted`);
    }
    if ((await this.find(stage.intent.deliveryId)) !== null) {
      throw deliveryUnavailable(`stage Secret ${this.#namespace}/${name} is still there after its deletion`);
    }
  }

  async #create(intent: DeliveryIntent, token: Buffer): Promise<Stage> {
    const secret = stageSecretOf(this.#namespace, intent, token);
    try {
      return readStage(await this.#secrets.create(secret, { fieldManager: FIELD_MANAGER, fieldValidation: 'Strict' }));
    } catch (cause) {
      const found = isConflict(cause) ? await this.find(intent.deliveryId) : null;
      if (found !== null) return found;
      throw toDeliveryError(cause, `stage Secret ${this.#namespace}/${secret.metadata.name} cannot be created`);
    }
  }
}
