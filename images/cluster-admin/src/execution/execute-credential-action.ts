import type { KubeConfig } from '@kubernetes/client-node';
import { readExecutionCommand, type ExecutionCommand } from '../../../core/execution.ts';
import { openDatabase, type Database, type DatabaseConfig } from '../../../postgres/connection.ts';
import { requireReadiness } from '../../../postgres/readiness.ts';
import { resolveDeliveryTarget, type DeliveryTargetOptions } from '../delivery/delivery-target.ts';
import type { ClusterAccess } from '../kubernetes/cluster-access.ts';
import { toClusterAccess } from '../kubernetes/kubeconfig-access.ts';
import { createTokenRequestSession, type TokenRequestEvent, type TokenRequestSession } from '../token-request/token-request-session.ts';
import { executeAction, question, type AuthorizationQuestion, type ExecutionEvent, type ExecutionOutcome } from './execute-action.ts';

/** Where credentials go, and through whom. */
export interface ExecutionTargets extends DeliveryTargetOptions {
  /** The delivery identity, in the stage namespace. */
  readonly serviceAccountName: string;
  /** The Secret of the Worker's TLS identity, which the delivery identity must not be able to read. */
  readonly identitySecretName: string;
}

export interface AuthorityOptions {
  /** The issuer: a kubeconfig, or an access that was read before. */
  readonly cluster: KubeConfig | ClusterAccess;
  readonly targets: ExecutionTargets;
  /** As ql3_worker_credential_executor. */
  readonly database: DatabaseConfig;
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: ExecutionEvent | TokenRequestEvent) => void;
}

export interface ExecuteOptions extends AuthorityOptions {
  readonly command: ExecutionCommand;
  /** 32 bytes. The caller zeroes them. */
  readonly pepper: Buffer;
  /** Throws when the caller does not stand by the command any more. */
  readonly confirmAuthorization: (question: AuthorizationQuestion) => Promise<void>;
}

/** Executes one approved action, from the first question to the caller to the completed execution. */
export async function executeCredentialAction(options: ExecuteOptions): Promise<ExecutionOutcome> {
  const command = readExecutionCommand(options.command);
  await options.confirmAuthorization(question('before_execution', command));
  const { pepper, confirmAuthorization, signal, onEvent } = options;
  return withAuthority(options, (database, session, targetDigest) =>
    executeAction(
      {
        database,
        session,
        targetDigest,
        pepper,
        confirmAuthorization,
        ...(signal === undefined ? {} : { signal }),
        ...(onEvent === undefined ? {} : { onEvent }),
      },
      command,
    ),
  );
}

/** Lends a ready database and a TokenRequest session; nothing of either is left open. */
export async function withAuthority<T>(
  options: AuthorityOptions,
  operation: (database: Database, session: TokenRequestSession, targetDigest: string) => Promise<T>,
): Promise<T> {
  const { serviceAccountName, identitySecretName, ...target } = options.targets;
  const { digest } = resolveDeliveryTarget(target);
  const session = createTokenRequestSession({
    issuer: isKubeConfig(options.cluster) ? toClusterAccess(options.cluster) : options.cluster,
    target,
    serviceAccountName,
    identitySecretName,
    ...(options.signal === undefined ? {} : { connection: { signal: options.signal } }),
    ...(options.onEvent === undefined ? {} : { onEvent: options.onEvent }),
  });
  const database = openDatabase(options.database);
  try {
    await requireReadiness(database, 'ql3_worker_credential_executor');
    return await operation(database, session, digest);
  } finally {
    await database.end();
  }
}

function isKubeConfig(cluster: KubeConfig | ClusterAccess): cluster is KubeConfig {
  return 'getCurrentCluster' in cluster;
}
