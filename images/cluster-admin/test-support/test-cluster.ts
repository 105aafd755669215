import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { ClusterAccess } from '../src/kubernetes/cluster-access.ts';

export interface TestCluster extends AsyncDisposable {
  /** As cluster administrator. */
  readonly admin: ClusterAccess;
  /** True when a deployment controller writes to Deployments on its own. */
  readonly hasControllers: boolean;
}

/** The cluster of QL3_TEST_KUBECONFIG, or an API server of this repository started for this test file. */
export async function openTestCluster(): Promise<TestCluster> {
  const path = process.env['QL3_TEST_KUBECONFIG'];
  if (path !== undefined && path !== '') {
    return { admin: parseKubeconfig(readFileSync(path, 'utf8')), hasControllers: true, async [Symbol.asyncDispose]() {} };
  }
  const { startApiServer } = await import('../../../harness/substrate/embedded/api-server/in-process-api.ts');
  const directory = mkdtempSync(join(tmpdir(), 'ql3-admin-test-'));
  const server = await startApiServer({ directory });
  return {
    admin: parseKubeconfig(server.adminKubeconfig()),
    hasControllers: false,
    async [Symbol.asyncDispose]() {
      await server.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function parseKubeconfig(text: string): ClusterAccess {
  const config = parse(text);
  const { cluster } = config.clusters[0];
  const { user } = config.users[0];
  const decode = (data: string): string => Buffer.from(data, 'base64').toString('utf8');
  return {
    server: cluster.server,
    caPem: decode(cluster['certificate-authority-data']),
    tlsServerName: null,
    identity:
      user.token === undefined
        ? {
            kind: 'client_certificate',
            certificatePem: decode(user['client-certificate-data']),
            privateKeyPem: decode(user['client-key-data']),
          }
        : { kind: 'bearer', token: user.token },
    impersonateUser: null,
  };
}
