/** The annotation that another authority than the credential's moves when the TLS identity changes (domain: section 0). */
export const WORKER_IDENTITY_GENERATION_ANNOTATION = 'qinglong.io/worker-identity-generation';
