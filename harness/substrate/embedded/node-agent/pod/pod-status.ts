import { isDeepStrictEqual } from 'node:util';
import type { Pod, PodStatus } from '../../controllers/runtime/objects.ts';
import { now } from '../../controllers/runtime/timestamps.ts';
import type { ContainerRecord } from './container-record.ts';

type Condition = NonNullable<PodStatus['conditions']>[number];
export type Phase = 'Pending' | 'Running' | 'Succeeded' | 'Failed';

export interface PodRecords {
  readonly init: readonly ContainerRecord[];
  readonly main: readonly ContainerRecord[];
}

/** Why a Pod as a whole is over, e.g. Evicted or DeadlineExceeded. */
export interface PodFailure {
  readonly reason: string;
  readonly message: string;
}

export interface StatusInput {
  readonly pod: Pod;
  readonly records: PodRecords;
  readonly failure: PodFailure | null;
  /** Nothing of the Pod runs any more, nor ever will. */
  readonly isOver: boolean;
  readonly podIp: string;
  readonly nodeIp: string;
  readonly startTime: string;
  readonly hasVolumes: boolean;
}

/** The phase as the kubelet computes it ("Pod Lifecycle"). */
export function phaseOf({ pod, records, failure, isOver }: Pick<StatusInput, 'pod' | 'records' | 'failure' | 'isOver'>): Phase {
  if (failure !== null) return 'Failed';
  const { restartPolicy = 'Always' } = pod.spec;
  const { init, main } = records;
  const areAllSuccessful = main.every((record) => record.succeeded);
  if (isOver) return areAllSuccessful ? 'Succeeded' : 'Failed';
  if (!init.every((record) => record.succeeded)) {
    return restartPolicy === 'Never' && init.some((record) => (record.state.terminated?.exitCode ?? 0) !== 0) ? 'Failed' : 'Pending';
  }
  if (main.some((record) => record.state.running === undefined && record.lastTerminated === undefined)) return 'Pending';
  if (main.some((record) => record.state.running !== undefined) || restartPolicy === 'Always') return 'Running';
  if (areAllSuccessful) return 'Succeeded';
  return restartPolicy === 'Never' ? 'Failed' : 'Running';
}

export function podStatus(input: StatusInput): PodStatus {
  const { records, failure, podIp, nodeIp, startTime } = input;
  const phase = phaseOf(input);
  return {
    phase,
    ...failure,
    conditions: conditionsOf(input, phase),
    hostIP: nodeIp,
    hostIPs: [{ ip: nodeIp }],
    podIP: podIp,
    podIPs: [{ ip: podIp }],
    startTime,
    ...(records.init.length === 0 ? {} : { initContainerStatuses: records.init.map((record) => record.toStatus()) }),
    containerStatuses: records.main.map((record) => record.toStatus()),
  };
}

function conditionsOf({ pod, records, hasVolumes }: StatusInput, phase: Phase): Condition[] {
  const before = pod.status?.conditions ?? [];
  const unready = records.main.filter((record) => !record.isReady).map((record) => record.name);
  const incomplete = records.init.filter((record) => !record.succeeded).map((record) => record.name);
  const isCompleted = phase === 'Succeeded';
  const notReady = isCompleted ? { reason: 'PodCompleted' } : { reason: 'ContainersNotReady', message: `containers with unready status: [${unready.join(' ')}]` };
  const notInitialized = { reason: 'ContainersNotInitialized', message: `containers with incomplete status: [${incomplete.join(' ')}]` };
  const wanted: Omit<Condition, 'lastTransitionTime' | 'lastProbeTime'>[] = [
    { type: 'PodReadyToStartContainers', status: hasVolumes && phase !== 'Succeeded' && phase !== 'Failed' ? 'True' : 'False' },
    { type: 'Initialized', status: incomplete.length === 0 ? 'True' : 'False', ...(incomplete.length === 0 ? (isCompleted ? { reason: 'PodCompleted' } : {}) : notInitialized) },
    { type: 'Ready', status: unready.length === 0 ? 'True' : 'False', ...(unready.length === 0 ? {} : notReady) },
    { type: 'ContainersReady', status: unready.length === 0 ? 'True' : 'False', ...(unready.length === 0 ? {} : notReady) },
    { type: 'PodScheduled', status: 'True' },
  ];
  const foreign = before.filter(({ type }) => !wanted.some((condition) => condition.type === type));
  return [...wanted.map((condition) => timed(condition, before)), ...foreign];
}

function timed(condition: Omit<Condition, 'lastTransitionTime' | 'lastProbeTime'>, before: readonly Condition[]): Condition {
  const known = before.find(({ type }) => type === condition.type);
  const lastTransitionTime = known?.status === condition.status ? (known.lastTransitionTime ?? now()) : now();
  // Kubernetes shows lastProbeTime as null; the field has no other value.
  return { ...condition, lastProbeTime: null as unknown as string, lastTransitionTime };
}

export function isSameStatus(a: PodStatus | undefined, b: PodStatus): boolean {
  return a !== undefined && Object.entries(b).every(([field, value]) => isDeepStrictEqual((a as Record<string, unknown>)[field], value));
}
