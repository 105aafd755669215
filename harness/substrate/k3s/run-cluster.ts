import type Docker from 'dockerode';
import { join } from 'node:path';
import type { ClusterAccess, StartContext } from '../substrate.ts';
import { apiPortOf, KUBECONFIG_PATH } from './cluster-container.ts';
import { untilReady, untilTakesObjects } from './cluster-readiness.ts';
import { execInContainer } from './container-exec.ts';
import { writeKubeconfig } from './kubeconfig.ts';
import { pollUntil } from './poll-until.ts';

/** Milliseconds. Generous: a slow machine is not a broken one, a cluster that hangs ends the run all the same. */
export interface ClusterDeadlines {
  readonly startedMs: number;
  readonly readyMs: number;
}

const PATIENT: ClusterDeadlines = { startedMs: 120_000, readyMs: 180_000 };

export interface ClusterOpening extends Pick<StartContext, 'directory' | 'runId' | 'signal'> {
  readonly deadlines?: ClusterDeadlines | undefined;
  /** Called as soon as the API server takes objects, before there is a node for Pods. */
  readonly onAccess?: (access: ClusterAccess) => void;
}

/** From a started container to access to a cluster that is ready. */
export async function openCluster(container: Docker.Container, { directory, runId, signal, deadlines: { startedMs, readyMs } = PATIENT, onAccess }: ClusterOpening): Promise<ClusterAccess> {
  const text = await pollUntil(() => readKubeconfig(container, signal), { fault: 'CLUSTER_NOT_STARTED', expectation: `the cluster to write ${KUBECONFIG_PATH}`, everyMs: 150, deadlineMs: startedMs, signal });
  const kubeconfigPath = join(directory, 'kubeconfig');
  const config = await writeKubeconfig(kubeconfigPath, text, await apiPortOf(container));
  const access = { kubeconfigPath, clusterIdentity: `k3s/${runId}`, apiServer: await untilTakesObjects(config, readyMs, signal) };
  onAccess?.(access);
  await untilReady(config, readyMs, signal);
  return access;
}

async function readKubeconfig(container: Docker.Container, signal: AbortSignal): Promise<string> {
  const { exitCode, stdout, stderr } = await execInContainer(container, ['cat', KUBECONFIG_PATH], { signal });
  if (exitCode !== 0 || stdout.length === 0) throw new Error(stderr.trim() || 'the file is empty');
  return stdout.toString();
}
