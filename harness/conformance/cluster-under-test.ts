import { KubeConfig, type V1Namespace, type VersionInfo } from '@kubernetes/client-node';
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import { ApiConnection } from './api-connection.ts';
import { DIFFERENCES, type Difference } from './differences.ts';
import type { ClusterSource } from './cluster-source.ts';

/** The cluster that the suite runs against, as its administrator sees it. */
export class ClusterUnderTest {
  readonly api: ApiConnection;
  readonly config: KubeConfig;
  readonly version: VersionInfo;
  readonly source: ClusterSource;

  private constructor(source: ClusterSource, config: KubeConfig, api: ApiConnection, version: VersionInfo) {
    this.source = source;
    this.config = config;
    this.api = api;
    this.version = version;
  }

  static async open(source: ClusterSource): Promise<ClusterUnderTest> {
    const config = new KubeConfig();
    config.loadFromFile(source.kubeconfigPath);
    const api = await ApiConnection.open(config);
    const { body } = await api.get<VersionInfo>('/version');
    return new ClusterUnderTest(source, config, api, body);
  }

  /** True when the server behaves as 1.34 does in this respect. */
  has(difference: Difference): boolean {
    return Number.parseInt(this.version.minor, 10) >= DIFFERENCES[difference].changedIn;
  }

  /** A Namespace for one check, gone when the check is over; its default ServiceAccount is there when this resolves. */
  async makeNamespace(context: TestContext): Promise<string> {
    const name = `conformance-${randomBytes(5).toString('hex')}`;
    const { status } = await this.api.create<V1Namespace>('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    assert.equal(status, 201);
    context.after(() => this.api.delete(`/api/v1/namespaces/${name}`));
    return name;
  }

  async kubectl(args: readonly string[], input = ''): Promise<string> {
    const running = promisify(execFile)('kubectl', ['--kubeconfig', this.source.kubeconfigPath, ...args], { timeout: 240_000, maxBuffer: 1 << 24 });
    running.child.stdin?.end(input);
    return (await running).stdout;
  }

  async close(): Promise<void> {
    this.api.close();
    await this.source.stop();
  }
}

/** Why kubectl cannot take part, or undefined. */
export async function kubectlMissing(): Promise<string | undefined> {
  return await promisify(execFile)('kubectl', ['version', '--client']).then(
    () => undefined,
    (error: Error) => `no kubectl: ${error.message.split('\n')[0]}`,
  );
}
