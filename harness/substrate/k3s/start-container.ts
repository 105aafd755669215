import type Docker from 'dockerode';
import { SubstrateError } from './substrate-error.ts';

const HINTS: readonly { readonly pattern: RegExp; readonly advice: string }[] = [
  { pattern: /port is already allocated|address already in use/i, advice: 'a port is taken: end what listens there, or run again, since ports are chosen anew' },
  { pattern: /no space left on device/i, advice: 'the disk is full: remove images or volumes that are no longer used' },
  { pattern: /executable file not found|exec format error/i, advice: 'the image cannot be started like this: is it the right one, for this architecture?' },
  { pattern: /operation not permitted|permission denied/i, advice: 'the Engine may not do that: a cluster needs a privileged container' },
];

/** Starts a container that was made, and tells what kept the Engine from it. */
export async function startContainer(container: Docker.Container, title: string, signal: AbortSignal): Promise<void> {
  try {
    await container.start({ abortSignal: signal });
  } catch (error) {
    signal.throwIfAborted();
    const reason = error instanceof Error ? error.message.trim() : String(error);
    const advice = HINTS.find(({ pattern }) => pattern.test(reason))?.advice;
    throw new SubstrateError('CONTAINER_NOT_STARTED', `expected the Engine to start ${title}, got: ${reason}${advice === undefined ? '' : `. ${advice}`}`, { cause: error });
  }
}
