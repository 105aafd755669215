import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AUDIT_LOG_PATH, startClusterContainer } from '../substrate/k3s/cluster-container.ts';
import { execInContainer } from '../substrate/k3s/container-exec.ts';
import { connectToDocker } from '../substrate/k3s/docker-connection.ts';
import { importImages, nodeName, untilRuntimeAnswers } from '../substrate/k3s/node-images.ts';
import { ownImagesInStore, resolvePlatformImage } from '../substrate/k3s/platform-images.ts';
import { checkEngine } from '../substrate/k3s/preflight.ts';
import { openCluster } from '../substrate/k3s/run-cluster.ts';
import { labelsOfRun } from '../substrate/k3s/run-labels.ts';
import { removeRun } from '../substrate/k3s/run-objects.ts';
import type { ClusterSource } from './cluster-source.ts';

const START_WITHIN_MS = 300_000;

/** K3s in Docker as the release path starts it (with its overrides), and Node's base image on its node. */
export async function openK3sCluster(): Promise<ClusterSource> {
  const signal = AbortSignal.timeout(START_WITHIN_MS);
  const connection = await connectToDocker();
  const { docker } = connection;
  const engine = await checkEngine(connection);
  const [image, base] = [await resolvePlatformImage(docker, 'k3s', 'missing', signal), await resolvePlatformImage(docker, 'node', 'missing', signal)];
  const runId = randomUUID();
  const labels = labelsOfRun(runId);
  const name = `ql3-${runId.slice(0, 8)}`;
  const directory = await mkdtemp(join(tmpdir(), 'ql3-conformance-'));
  const stop = async () => {
    await removeRun(docker, runId);
    await rm(directory, { recursive: true, force: true });
  };
  try {
    await docker.createNetwork({ Name: name, Driver: 'bridge', Labels: { ...labels } });
    const container = await startClusterContainer(docker, { name: `${name}-k3s`, image, network: name, engine, labels }, { signal });
    await untilRuntimeAnswers(container, signal);
    await importImages(docker, container, [...(await ownImagesInStore(docker)), { tag: base.name, id: base.id }], signal);
    const { kubeconfigPath } = await openCluster(container, { directory, runId, signal });
    const readAuditLog = async () => (await execInContainer(container, ['cat', AUDIT_LOG_PATH], { signal: AbortSignal.timeout(30_000) })).stdout.toString();
    return { name: image.name, kubeconfigPath, image: nodeName(base.name), readAuditLog, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
