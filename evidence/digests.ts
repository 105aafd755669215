import { createHash } from 'node:crypto';

/** Digests of the domain, computed here anew so that evidence does not rest on the product's own arithmetic. */

function sha256Hex(...parts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part, 'utf8');
  return hash.digest('hex');
}

export interface PublishedDelivery {
  readonly deliveryId: string;
  readonly workerId: string;
  readonly credentialId: string;
  readonly credentialVersion: number;
  readonly previousCredentialId: string | null;
  readonly tokenDigest: string;
  readonly deploymentGeneration: string;
}

/** Binds a delivery to the very Secret object, by UID, that carries it. */
export function publicationDigest(targetDigest: string, targetSecretUid: string, delivery: PublishedDelivery): string {
  const json = JSON.stringify(delivery, ['deliveryId', 'workerId', 'credentialId', 'credentialVersion', 'previousCredentialId', 'tokenDigest', 'deploymentGeneration']);
  return sha256Hex('qinglong/worker-credential-kubernetes-publication@v3\0', targetDigest, '\0', targetSecretUid, '\0', json);
}

export interface PublicationResult {
  readonly deliveryId: string;
  readonly credentialId: string;
  readonly workerId: string;
  readonly deploymentGeneration: string;
  readonly publicationDigest: string;
}

export function executionResultDigest(result: PublicationResult): string {
  return sha256Hex('qinglong/worker-credential-execution-result@v1\0', JSON.stringify(result, ['deliveryId', 'credentialId', 'workerId', 'deploymentGeneration', 'publicationDigest']));
}
