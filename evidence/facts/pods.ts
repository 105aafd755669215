import { groupBy } from './group-by.ts';
import { ANNOTATIONS } from '../annotations.ts';
import { CONTRACT_NAMES } from '../contract-names.ts';
import { instantMs } from '../instants.ts';
import type { ObservationOf, ObservedObject } from '../observation.ts';
import { dig, listAt, numberAt, textAt } from './fields.ts';
import { fact, type ObservedRun } from './observed-run.ts';

export type WatchedObject = ObservationOf<'api.watched'>;

/** One Pod as the watch showed it from its creation to its end. */
export interface PodLife {
  /** Of the observation by which it appeared. */
  readonly seq: number;
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  readonly events: readonly WatchedObject[];
  readonly appeared: WatchedObject;
  /** The first event that shows it deleted or with no container left to run; null while it lives. */
  readonly ended: WatchedObject | null;
  readonly deleted: WatchedObject | null;
  /** The last state that was seen. */
  readonly object: ObservedObject;
}

/** Every Pod that was watched, in order of appearance. */
export const podLives = fact((run: ObservedRun): readonly PodLife[] => {
  const watched = run.of('api.watched').filter(({ body }) => body.object.kind === 'Pod');
  return [...groupBy(watched, ({ body }) => body.object.metadata.uid).values()].map(toLife);
});

export const podsByUid = fact((run: ObservedRun): ReadonlyMap<string, PodLife> => new Map(podLives(run).map((pod) => [pod.uid, pod])));

function toLife(events: readonly WatchedObject[]): PodLife {
  const [appeared, last] = [events[0] as WatchedObject, events.at(-1) as WatchedObject];
  const { uid, name, namespace = '' } = appeared.body.object.metadata;
  return {
    seq: appeared.seq,
    uid,
    name,
    namespace,
    events,
    appeared,
    ended: events.find(({ body }) => body.type === 'DELETED' || isTerminal(body.object)) ?? null,
    deleted: events.find(({ body }) => body.type === 'DELETED') ?? null,
    object: last.body.object,
  };
}

/** A Pod in phase Succeeded or Failed has no running container; the Deployment controller goes on from there. */
function isTerminal(pod: ObservedObject): boolean {
  const phase = textAt(pod, 'status', 'phase');
  return phase === 'Succeeded' || phase === 'Failed';
}

export function ownedBy(pod: PodLife, kind: string, accepts: (name: string) => boolean): boolean {
  return (pod.object.metadata.ownerReferences ?? []).some((owner) => owner.kind === kind && accepts(owner.name));
}

function ofDeployment(pod: PodLife, deployment: string): boolean {
  return ownedBy(pod, 'ReplicaSet', (name) => name.startsWith(`${deployment}-`));
}

/** The Pods of the contract's Worker Deployment, in order of appearance, with the one that waited for a first credential. */
export const workerPods = fact((run: ObservedRun) =>
  podLives(run).filter((pod) => pod.namespace === CONTRACT_NAMES.workerNamespace && ofDeployment(pod, CONTRACT_NAMES.deployment)),
);

export const controlPods = fact((run: ObservedRun) => podLives(run).filter((pod) => ofDeployment(pod, CONTRACT_NAMES.controlDeployment)));

export function annotationOf(pod: PodLife | null | undefined, name: keyof typeof ANNOTATIONS): string | null {
  return pod?.object.metadata.annotations?.[ANNOTATIONS[name]] ?? null;
}

export interface ExitState {
  readonly exitCode: number;
  /** RFC 3339, whole seconds. */
  readonly finishedAt: string | null;
  readonly seq: number;
}

/** Why a kubelet says that a container ended which it did not find any more: the exit code that goes with it is a guess. */
export const GUESSED_END = 'ContainerStatusUnknown';

/** How the Pod's only container ended, as its kubelet reported it. */
export function exitOf(pod: PodLife | null | undefined): ExitState | null {
  for (const { seq, body } of (pod?.events ?? []).toReversed()) {
    const terminated = dig(body.object, 'status', 'containerStatuses', 0, 'state', 'terminated');
    const exitCode = numberAt(terminated, 'exitCode');
    if (exitCode !== null && textAt(terminated, 'reason') !== GUESSED_END) return { exitCode, finishedAt: textAt(terminated, 'finishedAt'), seq };
  }
  return null;
}

/**
 * How the Pod's only container ended: as its kubelet reported it or, where a kubelet removed the Pod before it could (those of
 * old releases do) or only guessed, as the node's runtime saw it.
 */
export function witnessedExitOf(run: ObservedRun, pod: PodLife | null | undefined): ExitState | null {
  const reported = exitOf(pod);
  if (reported !== null) return reported;
  const ids = new Set((pod?.events ?? []).map(({ body }) => textAt(dig(body.object, 'status', 'containerStatuses', 0), 'containerID')));
  const exit = run.of('container.exited').findLast(({ body }) => ids.has(body.containerId));
  return exit === undefined ? null : { exitCode: exit.body.exitCode, finishedAt: exit.body.exitedAt, seq: exit.seq };
}

/** The state by which a container of the Pod had ended and begun again, before the Pod was asked to go; what an old kubelet says afterwards is a guess. */
export function restartOf(pod: PodLife | null | undefined): WatchedObject | null {
  const hasBegunAgain = (status: unknown): boolean => (numberAt(status, 'restartCount') ?? 0) > 0 || Object.keys(dig(status, 'lastState') ?? {}).length > 0;
  return pod?.events.find(({ body: { object } }) => object.metadata.deletionTimestamp === undefined && listAt(object, 'status', 'containerStatuses').some(hasBegunAgain)) ?? null;
}

/** When the kubelet first said that the Pod's only container runs, in whole seconds; NaN when it never did. */
export function runningFromMs(pod: PodLife): number {
  return instantMs(pod.events.map(({ body }) => textAt(body.object, 'status', 'containerStatuses', 0, 'state', 'running', 'startedAt')).find((startedAt) => startedAt !== null));
}

/** `sha256:…` of every image that the Pod's containers ran, less the prefix that some runtimes put before it. */
export function imageIdsOf(pod: PodLife | null | undefined): readonly string[] {
  const statuses = (pod?.events ?? []).flatMap(({ body }) => [
    ...listAt(body.object, 'status', 'initContainerStatuses'),
    ...listAt(body.object, 'status', 'containerStatuses'),
  ]);
  return [...new Set(statuses.map(imageIdOf).filter((id) => id !== null))];
}

export function imageIdOf(status: unknown): string | null {
  return /sha256:[0-9a-f]{64}$/.exec(textAt(status, 'imageID') ?? '')?.[0] ?? null;
}

export function wasReady(pod: PodLife | null | undefined): WatchedObject | null {
  return pod?.events.find(({ body }) => conditionHolds(body.object, 'Ready')) ?? null;
}

function conditionHolds(object: ObservedObject, type: string): boolean {
  return listAt(object, 'status', 'conditions').some((condition) => textAt(condition, 'type') === type && textAt(condition, 'status') === 'True');
}

/** Node that ran the Pod, once it was scheduled. */
export function nodeNameOf(pod: PodLife | null | undefined): string | null {
  return textAt(pod?.object, 'spec', 'nodeName');
}
