import { CONTRACT_NAMES, PROBE_NAMES } from './contract-names.ts';

const serviceAccount = (namespace: string, name: string): string => `system:serviceaccount:${namespace}:${name}`;

/** Who asks for the delivery's token on the host: impersonated. */
export const HOST_ISSUER: string = CONTRACT_NAMES.issuerUser;
/** Who asks for it in a recovery pass on the host: impersonated. */
export const RECOVERY_ISSUER: string = CONTRACT_NAMES.recoveryUser;
/** Who asks for it in the executor's Job. */
export const JOB_ISSUER: string = serviceAccount(CONTRACT_NAMES.executorNamespace, CONTRACT_NAMES.executorServiceAccount);
/** Whose token it is: the only identity that may change what a Worker is given. */
export const DELIVERY: string = serviceAccount(CONTRACT_NAMES.stageNamespace, CONTRACT_NAMES.deliveryServiceAccount);
export const PROBE_DELIVERY: string = serviceAccount(PROBE_NAMES.stageNamespace, PROBE_NAMES.deliveryServiceAccount);

/** The role that each database connection of a run must turn out to have. */
export const DATABASE_ROLES = {
  migration: 'ql3_migration',
  manager: 'ql3_worker_credential_manager',
  executor: 'ql3_worker_credential_executor',
  ingress: 'ql3_worker_ingress',
  admin: 'ql3_admin',
  runtime: 'ql3_runtime',
} as const;
