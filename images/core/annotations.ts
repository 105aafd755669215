/** Every label, annotation and type name that the product writes on, or expects of, Kubernetes objects. */

export const FIELD_MANAGER = 'qinglong-worker-credential-delivery';

export const MANAGED_BY_LABEL = 'app.kubernetes.io/managed-by';
export const MANAGED_BY = 'qinglong3';
export const COMPONENT_LABEL = 'app.kubernetes.io/component';
export const WORKER_COMPONENT = 'worker';

export const STAGE_SECRET_TYPE = 'qinglong.io/worker-credential-stage-v1';
export const STAGE_SECRET_NAME_PREFIX = 'ql3w-stage-';
export const STAGE_DATA_KEY = 'credentialToken';
export const STAGE_LABEL = 'qinglong.io/worker-credential-stage';
export const STAGE_LABEL_VALUE = 'v1';

export const TARGET_LABEL = 'qinglong.io/worker-credential-target';
export const TARGET_PREPARED = 'prepared-v3';
export const TARGET_ACTIVE = 'v3';
export const TARGET_DIGEST_LABEL = 'qinglong.io/worker-credential-target-digest';
export const DEFAULT_TARGET_DATA_KEY = 'credential-token';
export const LAST_APPLIED_ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration';

export const DELIVERY_ID_ANNOTATION = 'qinglong.io/worker-credential-delivery-id';
export const INTENT_ANNOTATION = 'qinglong.io/worker-credential-intent';
export const CREDENTIAL_ID_ANNOTATION = 'qinglong.io/worker-credential-id';
export const GENERATION_ANNOTATION = 'qinglong.io/worker-credential-generation';
export const TOKEN_DIGEST_ANNOTATION = 'qinglong.io/worker-credential-token-digest';
export const PUBLICATION_DIGEST_ANNOTATION = 'qinglong.io/worker-credential-publication-digest';
export const IDENTITY_GENERATION_ANNOTATION = 'qinglong.io/worker-identity-generation';
export const EXECUTION_MODEL_LABEL = 'qinglong.io/execution-model';
export const CALLER_DRIVEN = 'caller-driven';

/** What a publication writes on the PodTemplate: changing any of them replaces the Pod. */
export const POD_TEMPLATE_ANNOTATIONS = [
  DELIVERY_ID_ANNOTATION,
  CREDENTIAL_ID_ANNOTATION,
  GENERATION_ANNOTATION,
  TOKEN_DIGEST_ANNOTATION,
  PUBLICATION_DIGEST_ANNOTATION,
] as const;

/** The stage Secret's name: the delivery id without its dashes after a fixed prefix. */
export function stageSecretName(deliveryId: string): string {
  return STAGE_SECRET_NAME_PREFIX + deliveryId.replaceAll('-', '');
}

/** The 32 bytes of the target digest as base64url, short enough for a label value. */
export function targetDigestLabelValue(targetDigest: string): string {
  return Buffer.from(targetDigest, 'hex').toString('base64url');
}
