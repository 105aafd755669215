import { readFileSync } from 'node:fs';
import type { Cluster, KubeConfig, User } from '@kubernetes/client-node';
import {
  assertCaPem,
  assertServerUrl,
  ClusterAccessError,
  type ClusterAccess,
  type ClusterIdentity,
} from './cluster-access.ts';

/**
 * Reads the current context of a kubeconfig. Accepted: https, a certificate
 * authority, and a bearer token or client certificate, possibly impersonating.
 * Refused: skipped verification, credentials in the URL, proxies, passwords,
 * exec plugins and auth providers, because they run or send what was not checked.
 */
export function toClusterAccess(kubeConfig: KubeConfig): ClusterAccess {
  const cluster = kubeConfig.getCurrentCluster();
  const user = kubeConfig.getCurrentUser();
  if (cluster === null || user === null) {
    throw new ClusterAccessError('no_current_context', 'kubeconfig must have a current context with cluster and user');
  }
  const server = assertServerUrl(cluster.server);
  if (cluster.skipTLSVerify) {
    throw new ClusterAccessError(
      'tls_verification_skipped',
      `kubeconfig cluster ${cluster.name} skips TLS verification: remove insecure-skip-tls-verify and name its CA`,
    );
  }
  if (cluster.proxyUrl) {
    throw new ClusterAccessError('proxy_not_supported', `kubeconfig cluster ${cluster.name} names a proxy: remove proxy-url`);
  }
  return {
    server,
    caPem: readCa(cluster),
    tlsServerName: cluster.tlsServerName || null,
    identity: readIdentity(user),
    impersonateUser: user.impersonateUser || null,
  };
}

function readCa(cluster: Cluster): string {
  const pem = readInlineOrFile(cluster.caData, cluster.caFile);
  if (pem === null) {
    throw new ClusterAccessError(
      'certificate_authority_missing',
      `kubeconfig cluster ${cluster.name} has no certificate authority: expected certificate-authority-data`,
    );
  }
  return assertCaPem(pem);
}

function readIdentity(user: User): ClusterIdentity {
  if (user.exec || user.authProvider || user.username || user.password) {
    throw new ClusterAccessError(
      'identity_not_supported',
      `kubeconfig user ${user.name} must use a token or a client certificate, not a password, exec plugin or auth provider`,
    );
  }
  if (user.token) return { kind: 'bearer', token: user.token };
  const certificatePem = readInlineOrFile(user.certData, user.certFile);
  const privateKeyPem = readInlineOrFile(user.keyData, user.keyFile);
  if (certificatePem === null || privateKeyPem === null) {
    throw new ClusterAccessError(
      'identity_missing',
      `kubeconfig user ${user.name} has neither a token nor a client certificate with its key`,
    );
  }
  return { kind: 'client_certificate', certificatePem, privateKeyPem };
}

function readInlineOrFile(data: string | undefined, file: string | undefined): string | null {
  if (data) return Buffer.from(data, 'base64').toString('utf8');
  if (!file) return null;
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new ClusterAccessError('file_unreadable', `kubeconfig names ${file}, which cannot be read`, cause);
  }
}
