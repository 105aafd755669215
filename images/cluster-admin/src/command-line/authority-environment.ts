import type { DatabaseConfig } from '../../../postgres/connection.ts';
import { DATABASE_VARIABLES } from '../../../postgres/connection-variables.ts';
import { resolveDeliveryTarget } from '../delivery/delivery-target.ts';
import type { ExecutionTargets } from '../execution/execute-credential-action.ts';
import type { ClusterAccess } from '../kubernetes/cluster-access.ts';
import { DEFAULT_SERVICE_ACCOUNT_ROOT, readInClusterAccess } from '../kubernetes/in-cluster-access.ts';
import { readDatabaseEnvironment } from './database-environment.ts';
import { EnvironmentReader } from './environment.ts';
import { EXECUTOR_VARIABLES } from './variables.ts';

export const EXECUTOR_PREFIX = 'QL3_WORKER_CREDENTIAL_EXECUTOR_';
export const EXECUTOR_DATABASE_PREFIX = 'QL3_POSTGRES_WORKER_CREDENTIAL_EXECUTOR_';

export type Environment = Readonly<Record<string, string | undefined>>;

/** What executor and recovery have in common: where to deliver, as whom, and which database remembers it. */
export interface AuthorityConfiguration {
  readonly cluster: ClusterAccess;
  readonly targets: ExecutionTargets;
  readonly database: DatabaseConfig;
}

/** Reads everything through one reader, whose `finish` the caller has still to call. */
export function readAuthority(environment: Environment, reader: EnvironmentReader): () => AuthorityConfiguration {
  if (reader.optional('ENABLED') !== 'true') reader.reject('ENABLED', 'expected true');
  const targets = readTargets(reader);
  const root = reader.optional('SERVICE_ACCOUNT_ROOT') ?? DEFAULT_SERVICE_ACCOUNT_ROOT;
  const database = readDatabaseEnvironment(reader.under(EXECUTOR_DATABASE_PREFIX, DATABASE_VARIABLES));
  // Read last, and only when nothing was wrong: the identity is a secret.
  return () => ({ cluster: readInClusterAccess(environment, root), targets, database });
}

export function readAllAuthority(environment: Environment): AuthorityConfiguration {
  const reader = new EnvironmentReader(environment, EXECUTOR_PREFIX, EXECUTOR_VARIABLES);
  const authority = readAuthority(environment, reader);
  reader.finish();
  return authority();
}

export function readTargets(reader: EnvironmentReader): ExecutionTargets {
  const dataKey = reader.optional('TARGET_DATA_KEY');
  const target = {
    clusterIdentity: reader.required('CLUSTER_IDENTITY'),
    stageNamespace: reader.required('STAGE_NAMESPACE'),
    namespace: reader.required('TARGET_NAMESPACE'),
    targetSecretName: reader.required('TARGET_SECRET'),
    targetDeploymentName: reader.required('TARGET_DEPLOYMENT'),
    ...(dataKey === null ? {} : { targetDataKey: dataKey }),
  };
  const identities = {
    serviceAccountName: reader.required('DELIVERY_SERVICE_ACCOUNT'),
    identitySecretName: reader.required('IDENTITY_SECRET'),
  };
  if (Object.values({ ...target, ...identities }).every((value) => value !== '')) {
    try {
      resolveDeliveryTarget(target);
    } catch (error) {
      reader.reject('CLUSTER_IDENTITY', (error as Error).message);
    }
  }
  return { ...target, ...identities };
}
