import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSupervisor } from '../substrate/embedded/supervisor.ts';
import type { ClusterSource } from './cluster-source.ts';

const IMAGE = 'docker.io/library/conformance:1';

/** The embedded cluster with one image that is nothing but Node.js. */
export async function openEmbeddedCluster(): Promise<ClusterSource> {
  const directory = await mkdtemp(join(tmpdir(), 'ql3-conformance-'));
  const rootDirectory = join(directory, 'image');
  await mkdir(rootDirectory);
  const image = { rootDirectory, entrypoint: ['node'], env: {}, imageId: `sha256:${'c'.repeat(64)}` };
  const supervisor = await startSupervisor({ directory: join(directory, 'cluster'), images: { [IMAGE]: image }, postgres: null });
  return {
    name: 'the embedded cluster',
    kubeconfigPath: supervisor.facts.kubeconfigPath,
    image: IMAGE,
    readAuditLog: () => readFile(supervisor.facts.auditLogPath, 'utf8'),
    stop: async () => {
      await supervisor.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
