import type { WorkerCredentialDelivery } from '../delivery/delivery.ts';
import { WorkerCredentialKubernetesDeliveryAdapter } from '../delivery/delivery-adapter.ts';
import { resolveDeliveryTarget, type DeliveryTargetOptions } from '../delivery/delivery-target.ts';
import { openApiConnection, type ApiConnection, type ApiConnectionOptions } from '../kubernetes/api-connection.ts';
import { withBearerToken, type ClusterAccess } from '../kubernetes/cluster-access.ts';
import { createDeploymentsClient } from '../kubernetes/deployments-client.ts';
import { createSecretsClient } from '../kubernetes/secrets-client.ts';
import { reviewAccess } from './access-reviews.ts';
import { clientAccess } from './client-access.ts';
import { TOKEN_REQUEST_SECONDS, verifyIssuedToken, type IssuedToken } from './issued-token.ts';
import { issuerAccess } from './issuer-access.ts';
import type { ReviewTargets } from './reviewed-access.ts';
import { TokenRequestUnavailableError } from './token-request-error.ts';

export interface TokenRequestEvidence {
  readonly tokenLifetimeSeconds: number;
  readonly issuerAllowedChecks: number;
  readonly issuerDeniedChecks: number;
  readonly allowedChecks: number;
  readonly deniedChecks: number;
}

export type TokenRequestEvent =
  | { readonly event: 'token_request_session_started'; readonly atMs: number; readonly serviceAccount: string; readonly evidence: TokenRequestEvidence }
  | { readonly event: 'token_request_session_ended'; readonly atMs: number; readonly serviceAccount: string; readonly clientDisposed: boolean };

export interface TokenRequestSessionOptions {
  /** The issuer: an identity that may create a token for one ServiceAccount and nothing else. */
  readonly issuer: ClusterAccess;
  readonly target: DeliveryTargetOptions;
  /** In the stage namespace. */
  readonly serviceAccountName: string;
  /** The Secret that holds the Worker's TLS identity, which the restricted client must not read. */
  readonly identitySecretName: string;
  readonly connection?: ApiConnectionOptions;
  readonly onEvent?: (event: TokenRequestEvent) => void;
}

export interface DeliveryLoan<T> {
  readonly result: T;
  readonly evidence: TokenRequestEvidence;
}

/** Lends a delivery for one operation. Neither the token nor a client can be had from it. */
export interface TokenRequestSession {
  withDelivery<T>(operation: (delivery: WorkerCredentialDelivery) => Promise<T>): Promise<DeliveryLoan<T>>;
}

export function createTokenRequestSession(options: TokenRequestSessionOptions): TokenRequestSession {
  const target = resolveDeliveryTarget(options.target);
  const targets: ReviewTargets = {
    stageNamespace: target.stageNamespace,
    namespace: target.namespace,
    targetSecretName: target.targetSecretName,
    targetDeploymentName: target.targetDeploymentName,
    serviceAccountName: options.serviceAccountName,
    identitySecretName: options.identitySecretName,
  };
  return {
    async withDelivery(operation) {
      const issued = await issueToken(options, targets);
      const connection = openApiConnection(withBearerToken(options.issuer, issued.token), options.connection);
      try {
        const evidence = await reviewClient(connection, targets, issued);
        return { result: await lend(options, connection, evidence, operation), evidence };
      } finally {
        connection.dispose();
      }
    },
  };
}

async function issueToken(options: TokenRequestSessionOptions, targets: ReviewTargets): Promise<IssuedToken> {
  const connection = openApiConnection(options.issuer, options.connection);
  try {
    await reviewAccess(connection, 'issuer', issuerAccess(targets));
    const answer = await requestToken(connection, targets);
    return verifyIssuedToken(answer, {
      namespace: targets.stageNamespace,
      serviceAccountName: targets.serviceAccountName,
      nowMs: Date.now(),
    });
  } finally {
    connection.dispose();
  }
}

async function requestToken(connection: ApiConnection, targets: ReviewTargets): Promise<unknown> {
  const { stageNamespace, serviceAccountName } = targets;
  try {
    return await connection.call({
      method: 'POST',
      path: `/api/v1/namespaces/${encodeURIComponent(stageNamespace)}/serviceaccounts/${encodeURIComponent(serviceAccountName)}/token`,
      body: {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: { expirationSeconds: TOKEN_REQUEST_SECONDS },
      },
      operation: `POST serviceaccounts/${serviceAccountName}/token in ${stageNamespace}`,
    });
  } catch (cause) {
    throw new TokenRequestUnavailableError(
      'token_request_failed',
      `no token for ServiceAccount ${serviceAccountName} in ${stageNamespace}`,
      cause,
    );
  }
}

async function reviewClient(connection: ApiConnection, targets: ReviewTargets, issued: IssuedToken): Promise<TokenRequestEvidence> {
  const issuer = issuerAccess(targets);
  const client = clientAccess(targets);
  await reviewAccess(connection, 'client', client);
  return {
    tokenLifetimeSeconds: issued.lifetimeSeconds,
    issuerAllowedChecks: issuer.allowed.length,
    issuerDeniedChecks: issuer.denied.length,
    allowedChecks: client.allowed.length,
    deniedChecks: client.denied.length,
  };
}

async function lend<T>(
  options: TokenRequestSessionOptions,
  connection: ApiConnection,
  evidence: TokenRequestEvidence,
  operation: (delivery: WorkerCredentialDelivery) => Promise<T>,
): Promise<T> {
  const { serviceAccountName: serviceAccount, onEvent } = options;
  onEvent?.({ event: 'token_request_session_started', atMs: Date.now(), serviceAccount, evidence });
  try {
    return await operation(
      new WorkerCredentialKubernetesDeliveryAdapter(options.target, {
        secrets: createSecretsClient(connection),
        deployments: createDeploymentsClient(connection),
      }),
    );
  } finally {
    connection.dispose();
    onEvent?.({ event: 'token_request_session_ended', atMs: Date.now(), serviceAccount, clientDisposed: connection.disposed });
  }
}
