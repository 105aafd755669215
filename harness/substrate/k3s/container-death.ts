import type Docker from 'dockerode';
import { lastLines } from './container-log.ts';
import { SubstrateError } from './substrate-error.ts';

const HINTS: readonly { readonly pattern: RegExp; readonly advice: string }[] = [
  { pattern: /cgroupv2 .*invalid state|failed to find (cpu|memory) cgroup/i, advice: 'K3s could not use the cgroups: it must be process 1 of a privileged container with writable cgroups' },
  { pattern: /too many open files|inotify/i, advice: 'inotify instances are used up: raise fs.inotify.max_user_instances' },
  { pattern: /no space left on device/i, advice: 'the disk is full' },
  { pattern: /overlayfs.*not supported|failed to mount overlay/i, advice: "the folder below Docker's cannot carry overlay file systems" },
];
const LINES = 20;

/** Rejects when the container ends; a run needs it to its end. Resolves never. With the signal nobody listens any more, and a container that is kept keeps no process. */
export async function untilDeath(container: Docker.Container, title: string, signal: AbortSignal): Promise<never> {
  const { StatusCode } = (await container.wait({ abortSignal: signal }).catch((error: Error) => {
    signal.throwIfAborted();
    throw new SubstrateError('CONTAINER_DIED', `the connection to the Engine was lost while ${title} ran: ${error.message}`, { cause: error });
  })) as { StatusCode: number };
  const lines = await lastLines(container, LINES).catch(() => '');
  const advice = HINTS.find(({ pattern }) => pattern.test(lines))?.advice;
  throw new SubstrateError('CONTAINER_DIED', `expected ${title} to live as long as the run; its container ended with exit code ${StatusCode}.${advice ? ` ${advice}.` : ''}${lines.trim() === '' ? ' No line of its log could be read.' : ` Its last lines:\n${lines}`}`);
}
