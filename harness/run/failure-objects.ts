import type { ClusterClients } from '../cluster/clients.ts';
import type { PodLines } from '../cluster/pod-lines.ts';
import { readRaw } from '../cluster/raw-request.ts';
import { toObservedObject } from '../observation/observed-object.ts';
import type { FailureFolder } from './failure-folder.ts';
import { isApiAnswer, reasonOf } from './failure-reason.ts';

interface ContainerState {
  readonly name: string;
  readonly restartCount?: number;
  readonly state?: { readonly waiting?: object; readonly terminated?: object };
  readonly lastState?: { readonly terminated?: object };
}

interface RawItem {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly uid: string };
  readonly status?: { readonly containerStatuses?: readonly ContainerState[]; readonly initContainerStatuses?: readonly ContainerState[] };
}

const COLLECTIONS: readonly { readonly kind: string; readonly apiVersion: string; readonly plural: string }[] = [
  { apiVersion: 'v1', kind: 'Pod', plural: 'pods' },
  { apiVersion: 'v1', kind: 'Event', plural: 'events' },
  { apiVersion: 'v1', kind: 'Secret', plural: 'secrets' },
  { apiVersion: 'v1', kind: 'PersistentVolumeClaim', plural: 'persistentvolumeclaims' },
  { apiVersion: 'apps/v1', kind: 'Deployment', plural: 'deployments' },
  { apiVersion: 'apps/v1', kind: 'ReplicaSet', plural: 'replicasets' },
  { apiVersion: 'batch/v1', kind: 'Job', plural: 'jobs' },
];

/** What a kubelet answers who asks for the log before the first one. */
const NOT_THERE = 400;

/** One that is frozen or gone answers nothing: what it would be asked then is not worth the deadlines of all the questions. */
const ALIVE_WITHIN_MS = 3_000;

/** Saves the cluster's objects (Secrets without data), events and container logs; without an API server the logs as far as they were followed. */
export async function saveObjects(folder: FailureFolder, { cluster, lines, namespaces, signal }: { readonly cluster: ClusterClients | null; readonly lines: PodLines | null; readonly namespaces: readonly string[]; readonly signal: AbortSignal }): Promise<void> {
  const silence = cluster === null ? 'the cluster was not there yet' : await silenceOf(cluster, signal);
  if (cluster === null || silence !== null) {
    folder.miss('objects, events and whole container logs', silence ?? '');
    if (lines !== null) saveFollowedLogs(folder, lines);
    return;
  }
  await Promise.all(namespaces.flatMap((namespace) => COLLECTIONS.map((collection) => saveCollection(folder, cluster, { namespace, ...collection }, signal))));
}

async function silenceOf({ config }: ClusterClients, signal: AbortSignal): Promise<string | null> {
  try {
    await readRaw(config, '/version', AbortSignal.any([signal, AbortSignal.timeout(ALIVE_WITHIN_MS)]));
    return null;
  } catch (error) {
    signal.throwIfAborted();
    return error instanceof DOMException && error.name === 'TimeoutError' ? `the API server did not answer within ${ALIVE_WITHIN_MS} ms` : `the API server did not answer: ${reasonOf(error)}`;
  }
}

async function saveCollection(folder: FailureFolder, cluster: ClusterClients, { namespace, apiVersion, kind, plural }: { readonly namespace: string; readonly apiVersion: string; readonly kind: string; readonly plural: string }, signal: AbortSignal): Promise<void> {
  const what = `${plural} of namespace ${namespace}`;
  try {
    const root = apiVersion.includes('/') ? 'apis' : 'api';
    const { status, text } = await readRaw(cluster.config, `/${root}/${apiVersion}/namespaces/${namespace}/${plural}`, signal);
    if (status !== 200) return folder.miss(what, `the API server answered ${status}`);
    const { items } = JSON.parse(text) as { readonly items: readonly RawItem[] };
    const objects = items.map((item) => toObservedObject({ apiVersion, kind, ...item }));
    if (objects.length > 0) folder.save(`${namespace}.${plural}.json`, kind === 'Event' ? 'events' : 'objects', what, `${JSON.stringify(objects, null, 2)}\n`);
    if (kind === 'Pod') await Promise.all(items.flatMap((pod) => logsOf(pod).map((log) => saveLog(folder, cluster, log))));
  } catch (error) {
    folder.miss(what, reasonOf(error));
  }
}

interface WantedLog {
  readonly namespace: string;
  readonly name: string;
  readonly container: string;
  readonly previous: boolean;
  /** Whether it is known to be there. One that had ended may be started again before its log is asked for, and then has an empty one, and one before that. */
  readonly isSure: boolean;
}

/** Of every container that has started; the log before it where it has been started again, or may be by now. */
function logsOf({ metadata: { namespace, name }, status = {} }: RawItem): WantedLog[] {
  const states = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  return states.flatMap(({ name: container, restartCount = 0, state, lastState }) => {
    const wasRestarted = restartCount > 0 || lastState?.terminated !== undefined;
    return [
      ...(state?.waiting !== undefined && restartCount === 0 ? [] : [{ namespace, name, container, previous: false, isSure: true }]),
      ...(wasRestarted || state?.terminated !== undefined ? [{ namespace, name, container, previous: true, isSure: wasRestarted }] : []),
    ];
  });
}

async function saveLog(folder: FailureFolder, { core }: ClusterClients, { namespace, name, container, previous, isSure }: WantedLog): Promise<void> {
  const of = `${namespace}/${name}/${container}`;
  try {
    const text = await core.readNamespacedPodLog({ namespace, name, container, previous });
    if (text) folder.save(`${of.replaceAll('/', '.')}${previous ? '.previous' : ''}.log`, previous ? 'pod-log-previous' : 'pod-log', of, text);
  } catch (error) {
    if (isSure || !(isApiAnswer(error) && error.code === NOT_THERE)) folder.miss(`${previous ? 'previous ' : ''}log of ${of}`, reasonOf(error));
  }
}

function saveFollowedLogs(folder: FailureFolder, lines: PodLines): void {
  const texts = new Map<string, string[]>();
  const add = ({ namespace, podName, container }: { readonly namespace: string; readonly podName: string; readonly container: string }, text: string): void => {
    const of = `${namespace}/${podName}/${container}`;
    texts.set(of, [...(texts.get(of) ?? []), text]);
  };
  for (const line of lines.all) add(line, JSON.stringify(line.line));
  for (const line of lines.plain) add(line, line.text);
  for (const [of, log] of texts) folder.save(`${of.replaceAll('/', '.')}.log`, 'pod-log', of, `${log.join('\n')}\n`);
}
