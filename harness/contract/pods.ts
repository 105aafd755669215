import { constants } from 'node:os';
import type { ObservedObject } from '../../evidence/observation.ts';
import { HarnessError } from '../run/errors.ts';

export interface PodRef {
  readonly namespace: string;
  readonly podName: string;
  readonly podUid: string;
}

interface ContainerStatus {
  readonly name: string;
  readonly ready?: boolean;
  readonly restartCount?: number;
  readonly imageID?: string;
  readonly containerID?: string;
  readonly state?: {
    readonly running?: { readonly startedAt?: string };
    readonly terminated?: { readonly exitCode: number; readonly reason?: string; readonly message?: string };
    readonly waiting?: { readonly reason?: string; readonly message?: string };
  };
  readonly lastState?: { readonly terminated?: { readonly exitCode: number; readonly reason?: string } };
}

interface PodStatus {
  readonly phase?: string;
  readonly podIP?: string;
  readonly containerStatuses?: readonly ContainerStatus[];
  readonly initContainerStatuses?: readonly ContainerStatus[];
}

/** Waiting reasons that do not pass by themselves within a run. */
const HOPELESS = new Set(['CrashLoopBackOff', 'ErrImageNeverPull', 'InvalidImageName', 'CreateContainerConfigError', 'CreateContainerError', 'RunContainerError']);

export function podStatus(pod: ObservedObject): PodStatus {
  return (pod['status'] ?? {});
}

export function podRef(pod: ObservedObject): PodRef {
  return { namespace: pod.metadata.namespace ?? '', podName: pod.metadata.name, podUid: pod.metadata.uid };
}

export function startedContainers(pod: ObservedObject): (PodRef & { readonly container: string })[] {
  const started = (podStatus(pod).containerStatuses ?? []).filter((status) => status.state?.running !== undefined || status.state?.terminated !== undefined);
  return started.map((status) => ({ ...podRef(pod), container: status.name }));
}

export function isRunning(pod: ObservedObject): boolean {
  const { phase, containerStatuses = [] } = podStatus(pod);
  return phase === 'Running' && pod.metadata.deletionTimestamp === undefined && containerStatuses.every((status) => status.state?.running !== undefined);
}

export function isReady(pod: ObservedObject): boolean {
  return isRunning(pod) && (podStatus(pod).containerStatuses ?? []).every((status) => status.ready === true);
}

export function hasEnded(pod: ObservedObject): boolean {
  return (podStatus(pod).containerStatuses ?? []).every((status) => status.state?.terminated !== undefined);
}

/** A container that a signal ended tells 128 and its number. */
function signalOf(exitCode: number): string {
  const name = Object.entries(constants.signals).find(([, number]) => number === exitCode - 128)?.[0];
  return name === undefined ? '' : ` (${name})`;
}

/**
 * A container that ends before its Pod is asked to go is another event than any that the contract provokes: what a restarted one
 * does is not what was to be shown, and its log is another log.
 */
export function assertNotRestarted(pod: ObservedObject): void {
  const { restartPolicy = 'Always' } = (pod['spec'] ?? {}) as { restartPolicy?: string };
  if (restartPolicy !== 'Always' || pod.metadata.deletionTimestamp !== undefined) return;
  for (const status of podStatus(pod).containerStatuses ?? []) {
    const ended = status.state?.terminated ?? status.lastState?.terminated;
    if (ended === undefined && (status.restartCount ?? 0) === 0) continue;
    const how = ended === undefined ? 'no account of how' : `exit code ${ended.exitCode}${signalOf(ended.exitCode)}, ${ended.reason ?? 'no reason'}`;
    throw new HarnessError('QL3_CONTRACT', `expected container ${status.name} of Pod ${pod.metadata.namespace}/${pod.metadata.name} to run until its Pod is deleted, it ended unasked (${how}${status.restartCount ? `, restarted ${status.restartCount} times` : ''}); its logs are in the failure folder`);
  }
}

/** A Pod that cannot come up is the answer already; waiting for the deadline would only hide it. */
export function assertNotHopeless(pod: ObservedObject): void {
  const { initContainerStatuses = [], containerStatuses = [] } = podStatus(pod);
  for (const status of [...initContainerStatuses, ...containerStatuses]) {
    const reason = status.state?.waiting?.reason;
    if (reason !== undefined && HOPELESS.has(reason)) {
      throw new HarnessError('QL3_CONTRACT', `expected Pod ${pod.metadata.namespace}/${pod.metadata.name} to start, got ${reason} in container ${status.name}: ${status.state?.waiting?.message ?? 'no message'}; its log is in the failure folder`);
    }
    const terminated = status.state?.terminated;
    if (terminated !== undefined && terminated.exitCode !== 0 && pod.metadata.deletionTimestamp === undefined) {
      throw new HarnessError('QL3_CONTRACT', `expected container ${status.name} of Pod ${pod.metadata.namespace}/${pod.metadata.name} to run, got exit code ${terminated.exitCode} (${terminated.reason ?? 'no reason'}); its log is in the failure folder`);
    }
  }
}
