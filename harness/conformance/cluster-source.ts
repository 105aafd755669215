import { readFile } from 'node:fs/promises';
import { openEmbeddedCluster } from './embedded-cluster.ts';
import { openK3sCluster } from './k3s-cluster.ts';

/** Where a cluster comes from, and what cannot be learned through its API. */
export interface ClusterSource {
  readonly name: string;
  readonly kubeconfigPath: string;
  /** An image on the node that has `node` on its path; it need hold nothing else. */
  readonly image: string;
  /** The API server's audit log as JSON lines, where it can be read. */
  readAuditLog: (() => Promise<string>) | undefined;
  stop(): Promise<void>;
}

/**
 * A cluster by kubeconfig (QL3_CONFORMANCE_KUBECONFIG, QL3_CONFORMANCE_IMAGE and, for the checks of the audit log,
 * QL3_CONFORMANCE_AUDIT_LOG, a file); with QL3_CONFORMANCE_SUBSTRATE=k3s one in Docker; the embedded one otherwise.
 */
export async function openClusterSource(environment: NodeJS.ProcessEnv): Promise<ClusterSource> {
  const kubeconfigPath = environment.QL3_CONFORMANCE_KUBECONFIG;
  const substrate = environment.QL3_CONFORMANCE_SUBSTRATE ?? 'embedded';
  if (!kubeconfigPath && substrate === 'k3s') return await openK3sCluster();
  if (!kubeconfigPath && substrate === 'embedded') return await openEmbeddedCluster();
  if (!kubeconfigPath) throw new Error(`expected QL3_CONFORMANCE_SUBSTRATE to be k3s or embedded, got ${JSON.stringify(substrate)}`);
  const image = environment.QL3_CONFORMANCE_IMAGE;
  if (!image) throw new Error('QL3_CONFORMANCE_IMAGE must name an image on the node that has node on its path');
  const auditLog = environment.QL3_CONFORMANCE_AUDIT_LOG;
  return { name: kubeconfigPath, kubeconfigPath, image, readAuditLog: auditLog ? () => readFile(auditLog, 'utf8') : undefined, stop: async () => undefined };
}
