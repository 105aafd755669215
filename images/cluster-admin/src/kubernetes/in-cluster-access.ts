import { readFileSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import { assertCaPem, assertServerUrl, ClusterAccessError, type ClusterAccess } from './cluster-access.ts';

/** The folder that the kubelet projects for a Pod's own ServiceAccount. */
export const DEFAULT_SERVICE_ACCOUNT_ROOT = '/var/run/secrets/kubernetes.io/serviceaccount';

/** The identity of the Pod this process runs in: token and ca.crt of its service account folder. */
export function readInClusterAccess(
  environment: Readonly<Record<string, string | undefined>>,
  serviceAccountRoot: string,
): ClusterAccess {
  const host = environment['KUBERNETES_SERVICE_HOST'];
  const port = environment['KUBERNETES_SERVICE_PORT'];
  if (!host || !port) {
    throw new ClusterAccessError(
      'no_current_context',
      'not in a cluster: expected KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT',
    );
  }
  const token = readSmallFile(join(serviceAccountRoot, 'token')).trim();
  if (token === '') throw new ClusterAccessError('identity_missing', `${join(serviceAccountRoot, 'token')} is empty`);
  return {
    server: assertServerUrl(`https://${isIPv6(host) ? `[${host}]` : host}:${port}`),
    caPem: assertCaPem(readSmallFile(join(serviceAccountRoot, 'ca.crt'))),
    tlsServerName: null,
    identity: { kind: 'bearer', token },
    impersonateUser: null,
  };
}

function readSmallFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new ClusterAccessError('file_unreadable', `${path} cannot be read: expected a projected service account volume`, cause);
  }
}
