/** Labels and annotations of the product that the evidence is read by. They are part of the interface. */
export const ANNOTATIONS = {
  deliveryId: 'qinglong.io/worker-credential-delivery-id',
  credentialId: 'qinglong.io/worker-credential-id',
  generation: 'qinglong.io/worker-credential-generation',
  tokenDigest: 'qinglong.io/worker-credential-token-digest',
  publicationDigest: 'qinglong.io/worker-credential-publication-digest',
  identityGeneration: 'qinglong.io/worker-identity-generation',
} as const;
export const EXECUTION_MODEL_LABEL = 'qinglong.io/execution-model';
export const CALLER_DRIVEN = 'caller-driven';
/** What a stage Secret is for, as JSON. */
export const STAGE_INTENT = 'qinglong.io/worker-credential-intent';
export const STAGE_SECRET_PREFIX = 'ql3w-stage-';
