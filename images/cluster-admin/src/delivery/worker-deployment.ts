import {
  COMPONENT_LABEL,
  CREDENTIAL_ID_ANNOTATION,
  DELIVERY_ID_ANNOTATION,
  GENERATION_ANNOTATION,
  PUBLICATION_DIGEST_ANNOTATION,
  TOKEN_DIGEST_ANNOTATION,
  WORKER_COMPONENT,
} from '../../../core/annotations.ts';
import type { DeliveryIntent } from '../../../core/delivery.ts';
import type { Deployment } from '../kubernetes/api-objects.ts';
import { deliveryConflict } from './delivery-error.ts';
import type { DeliveryTarget } from './delivery-target.ts';

/** Only a Deployment that stops the old Worker before it starts the new one, and mounts the target, may be rolled. */
export function assertAcceptable(deployment: Deployment, target: DeliveryTarget): void {
  const fault = findFault(deployment, target);
  if (fault !== null) throw deliveryConflict(`Deployment ${target.namespace}/${target.targetDeploymentName}: ${fault}`);
}

/** The template must hold what the delivery replaces, or already this delivery. Returns its credential id, if any. */
export function assertDeploymentPredecessor(deployment: Deployment, intent: DeliveryIntent): void {
  const annotations = templateAnnotations(deployment);
  const current = annotations[CREDENTIAL_ID_ANNOTATION];
  const name = `Deployment ${deployment.metadata.namespace}/${deployment.metadata.name}`;
  if (current === intent.credentialId) {
    const differing = Object.entries(credentialAnnotations(intent)).find(([key, value]) => annotations[key] !== value);
    if (differing === undefined) return;
    throw deliveryConflict(`${name}: template has credential ${current}, but another ${differing[0]}`);
  }
  const expected = intent.previousCredentialId ?? undefined;
  if (current === expected) return;
  throw deliveryConflict(`${name}: template has credential ${current ?? '(none)'}, expected ${expected ?? '(none)'} or ${intent.credentialId}`);
}

export function deploymentCarries(deployment: Deployment, intent: DeliveryIntent, publicationDigest: string): boolean {
  const annotations = templateAnnotations(deployment);
  return Object.entries(publishedAnnotations(intent, publicationDigest)).every(([key, value]) => annotations[key] === value);
}

/** The Deployment as read, with this delivery's five annotations on its template. */
export function withPublication(deployment: Deployment, intent: DeliveryIntent, publicationDigest: string): Deployment {
  const { template } = deployment.spec;
  const annotations = { ...template.metadata?.annotations, ...publishedAnnotations(intent, publicationDigest) };
  return {
    ...deployment,
    spec: { ...deployment.spec, template: { ...template, metadata: { ...template.metadata, annotations } } },
  };
}

function credentialAnnotations(intent: DeliveryIntent): Record<string, string> {
  return {
    [DELIVERY_ID_ANNOTATION]: intent.deliveryId,
    [CREDENTIAL_ID_ANNOTATION]: intent.credentialId,
    [GENERATION_ANNOTATION]: intent.deploymentGeneration,
    [TOKEN_DIGEST_ANNOTATION]: intent.tokenDigest,
  };
}

function publishedAnnotations(intent: DeliveryIntent, publicationDigest: string): Record<string, string> {
  return { ...credentialAnnotations(intent), [PUBLICATION_DIGEST_ANNOTATION]: publicationDigest };
}

function templateAnnotations(deployment: Deployment): Readonly<Record<string, string>> {
  return deployment.spec.template.metadata?.annotations ?? {};
}

function findFault({ apiVersion, metadata, spec }: Deployment, target: DeliveryTarget): string | null {
  if (apiVersion !== 'apps/v1') return 'is not apps/v1';
  if (metadata.name !== target.targetDeploymentName || metadata.namespace !== target.namespace) return 'another object was returned';
  if (metadata.deletionTimestamp !== undefined) return 'is being deleted';
  if (metadata.labels?.[COMPONENT_LABEL] !== WORKER_COMPONENT) return `label ${COMPONENT_LABEL} is not ${WORKER_COMPONENT}`;
  if (spec.template.metadata?.labels?.[COMPONENT_LABEL] !== WORKER_COMPONENT) {
    return `template label ${COMPONENT_LABEL} is not ${WORKER_COMPONENT}`;
  }
  if (spec.replicas !== 1) return `replicas must be 1, got ${spec.replicas}`;
  if (spec.strategy?.type !== 'Recreate') return `strategy must be Recreate, got ${spec.strategy?.type}`;
  if (!projectsTarget(spec.template.spec?.volumes ?? [], target)) {
    return `no projected volume takes ${target.targetDataKey} from Secret ${target.targetSecretName}`;
  }
  return null;
}

function projectsTarget(volumes: NonNullable<Deployment['spec']['template']['spec']>['volumes'], target: DeliveryTarget): boolean {
  return (volumes ?? [])
    .flatMap((volume) => volume.projected?.sources ?? [])
    .some(
      ({ secret }) =>
        secret?.name === target.targetSecretName && (secret.items ?? []).some((item) => item.key === target.targetDataKey),
    );
}
