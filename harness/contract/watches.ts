import { CONTRACT_NAMES, PROBE_NAMES } from '../../evidence/contract-names.ts';
import type { ClusterClients } from '../cluster/clients.ts';
import { ObjectWatch, type WatchedEvent } from '../cluster/object-watch.ts';
import { PodLines } from '../cluster/pod-lines.ts';
import type { Recorder } from '../observation/recorder.ts';
import type { ContractWatches } from './context.ts';
import { assertNotRestarted, startedContainers } from './pods.ts';

const CONTROL_COMPONENT = 'qinglong3-cluster-control';

/** Watches every collection that the contract touches, from before its first object on; everything seen is recorded. */
export async function startWatches(
  cluster: ClusterClients,
  { recorder, watching: signal, breakOff }: { readonly recorder: Recorder; readonly watching: AbortSignal; readonly breakOff: (error: unknown) => void },
): Promise<{ watches: ContractWatches; lines: PodLines }> {
  const lines = new PodLines({
    config: cluster.config,
    signal,
    onFailure: breakOff,
    onLine: ({ podUid, podName, namespace, container, index, line }) => {
      if (signal.aborted) return;
      const subject = `pods/${namespace}/${podName}`;
      if (line['component'] === CONTROL_COMPONENT) recorder.record('ingress.line', subject, { podUid, index, line });
      else recorder.record('process.line', subject, { podUid, podName, container, index, line });
    },
  });
  const record = ({ type, object }: WatchedEvent): void => {
    if (signal.aborted) return;
    recorder.record('api.watched', `${object.kind.toLowerCase()}s/${object.metadata.namespace ?? ''}/${object.metadata.name}`, { type, object });
    if (object.kind !== 'Pod') return;
    for (const container of startedContainers(object)) lines.follow(container);
    if (object.metadata.namespace === CONTRACT_NAMES.workerNamespace && type !== 'DELETED') assertNotRestarted(object);
  };

  const { config } = cluster;
  const { workerNamespace, stageNamespace, executorNamespace } = CONTRACT_NAMES;
  const watchOn = (apiVersion: string, kind: string, plural: string) => (namespace: string): ObjectWatch =>
    new ObjectWatch({ config, signal, onEvent: record, onFailure: breakOff, kind: { apiVersion, kind }, path: `/${apiVersion.includes('/') ? 'apis' : 'api'}/${apiVersion}/namespaces/${namespace}/${plural}` });
  const collection = {
    pods: watchOn('v1', 'Pod', 'pods'),
    secrets: watchOn('v1', 'Secret', 'secrets'),
    claims: watchOn('v1', 'PersistentVolumeClaim', 'persistentvolumeclaims'),
    deployments: watchOn('apps/v1', 'Deployment', 'deployments'),
    jobs: watchOn('batch/v1', 'Job', 'jobs'),
  };
  const watches: ContractWatches = {
    workerPods: collection.pods(workerNamespace),
    workerDeployments: collection.deployments(workerNamespace),
    workerSecrets: collection.secrets(workerNamespace),
    workerClaims: collection.claims(workerNamespace),
    stageSecrets: collection.secrets(stageNamespace),
    executorPods: collection.pods(executorNamespace),
    executorJobs: collection.jobs(executorNamespace),
    probePods: collection.pods(PROBE_NAMES.workerNamespace),
    probeDeployments: collection.deployments(PROBE_NAMES.workerNamespace),
    probeSecrets: collection.secrets(PROBE_NAMES.workerNamespace),
    probeStageSecrets: collection.secrets(PROBE_NAMES.stageNamespace),
  };
  await Promise.all(Object.values(watches).map((watch: ObjectWatch) => watch.start()));
  return { watches, lines };
}
