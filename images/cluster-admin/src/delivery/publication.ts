import { FIELD_MANAGER } from '../../../core/annotations.ts';
import { publicationDigest, type DeliveryIntent } from '../../../core/delivery.ts';
import { isConflict } from '../kubernetes/api-error.ts';
import type { Deployment, Secret } from '../kubernetes/api-objects.ts';
import type { DeploymentsClient } from '../kubernetes/deployments-client.ts';
import type { SecretsClient } from '../kubernetes/secrets-client.ts';
import { deliveryConflict, toDeliveryError } from './delivery-error.ts';
import type { DeliveryTarget } from './delivery-target.ts';
import type { Stage } from './stage-secret.ts';
import { assertTargetPredecessor, readTargetContent, targetCarries, withDelivery } from './target-secret.ts';
import { assertAcceptable, assertDeploymentPredecessor, deploymentCarries, withPublication } from './worker-deployment.ts';

export interface DeliveryClients {
  readonly secrets: SecretsClient;
  readonly deployments: DeploymentsClient;
}

const WRITE = { fieldManager: FIELD_MANAGER, fieldValidation: 'Strict' } as const;

/**
 * Moves one stage to the target: Secret first, so that the Pod which the
 * Deployment starts finds the new token. Every replace carries the
 * resourceVersion that was read; nothing is written twice.
 */
export class Publication {
  readonly #target: DeliveryTarget;
  readonly #clients: DeliveryClients;
  readonly #stage: Stage;

  constructor(target: DeliveryTarget, clients: DeliveryClients, stage: Stage) {
    this.#target = target;
    this.#clients = clients;
    this.#stage = stage;
  }

  get #intent(): DeliveryIntent {
    return this.#stage.intent;
  }

  async publish(): Promise<string> {
    assertDeploymentPredecessor(await this.#readDeployment(), this.#intent);
    const secretUid = await this.#publishSecret();
    const digest = publicationDigest(this.#target.digest, secretUid, this.#intent);
    await this.#publishDeployment(digest);
    return digest;
  }

  async #publishSecret(): Promise<string> {
    const current = await this.#readSecret();
    const content = readTargetContent(current, this.#target);
    if (targetCarries(content, this.#intent)) return current.metadata.uid;
    assertTargetPredecessor(content, this.#intent, this.#target);
    const replaced = await this.#replaceSecret(withDelivery(current, this.#intent, this.#target, this.#stage.tokenBase64));
    if (replaced.metadata.uid !== current.metadata.uid || !targetCarries(readTargetContent(replaced, this.#target), this.#intent)) {
      throw deliveryConflict(`${this.#secretName}: after the write it does not carry delivery ${this.#intent.deliveryId}`);
    }
    return replaced.metadata.uid;
  }

  async #publishDeployment(digest: string): Promise<void> {
    const current = await this.#readDeployment();
    if (deploymentCarries(current, this.#intent, digest)) return;
    assertDeploymentPredecessor(current, this.#intent);
    const replaced = await this.#replaceDeployment(withPublication(current, this.#intent, digest));
    assertAcceptable(replaced, this.#target);
    if (replaced.metadata.uid !== current.metadata.uid || !deploymentCarries(replaced, this.#intent, digest)) {
      throw deliveryConflict(`${this.#deploymentName}: after the write its template does not carry delivery ${this.#intent.deliveryId}`);
    }
  }

  async #readSecret(): Promise<Secret> {
    try {
      return await this.#clients.secrets.read(this.#target.namespace, this.#target.targetSecretName);
    } catch (cause) {
      throw toDeliveryError(cause, `${this.#secretName} cannot be read`);
    }
  }

  /** After a 409 the Secret is read once more: somebody else may have published the same delivery. */
  async #replaceSecret(secret: Secret): Promise<Secret> {
    try {
      return await this.#clients.secrets.replace(secret, WRITE);
    } catch (cause) {
      if (!isConflict(cause)) throw toDeliveryError(cause, `${this.#secretName} cannot be replaced`);
      const found = await this.#readSecret();
      if (found.metadata.uid === secret.metadata.uid && targetCarries(readTargetContent(found, this.#target), this.#intent)) return found;
      throw deliveryConflict(`${this.#secretName}: changed by somebody else between read and replace`, cause);
    }
  }

  async #readDeployment(): Promise<Deployment> {
    let deployment: Deployment;
    try {
      deployment = await this.#clients.deployments.read(this.#target.namespace, this.#target.targetDeploymentName);
    } catch (cause) {
      throw toDeliveryError(cause, `${this.#deploymentName} cannot be read`);
    }
    assertAcceptable(deployment, this.#target);
    return deployment;
  }

  async #replaceDeployment(deployment: Deployment): Promise<Deployment> {
    try {
      return await this.#clients.deployments.replace(deployment, WRITE);
    } catch (cause) {
      if (!isConflict(cause)) throw toDeliveryError(cause, `${this.#deploymentName} cannot be replaced`);
      // The caller checks that this is an exact match; its status changes on its own, so a 409 alone decides nothing.
      const found = await this.#readDeployment();
      if (found.metadata.uid === deployment.metadata.uid && templatesMatch(found, deployment)) return found;
      throw deliveryConflict(`${this.#deploymentName}: changed by somebody else between read and replace`, cause);
    }
  }

  get #secretName(): string {
    return `target Secret ${this.#target.namespace}/${this.#target.targetSecretName}`;
  }

  get #deploymentName(): string {
    return `Deployment ${this.#target.namespace}/${this.#target.targetDeploymentName}`;
  }
}

function templatesMatch(found: Deployment, wanted: Deployment): boolean {
  const annotations = found.spec.template.metadata?.annotations ?? {};
  return Object.entries(wanted.spec.template.metadata?.annotations ?? {}).every(([key, value]) => annotations[key] === value);
}
