import type Docker from 'dockerode';
import type { Releasers } from '../substrate.ts';

export interface Creation {
  readonly signal: AbortSignal;
  /** Where the end of a creation that nobody waits for any more is waited for, before what the run has made is removed. */
  readonly releasers?: Releasers;
}

/**
 * Makes a container. The Engine goes on making it when whoever asked has gone, and it would appear after the run's removal:
 * with the signal nobody here waits any longer, but the request stays.
 */
export async function createContainer(docker: Docker, options: Docker.ContainerCreateOptions & { readonly name: string }, { signal, releasers }: Creation): Promise<Docker.Container> {
  signal.throwIfAborted();
  const making = docker.createContainer(options);
  releasers?.add(`the making of container ${options.name}`, async () => void (await Promise.allSettled([making])));
  const { promise: calledOff, reject } = Promise.withResolvers<never>();
  const callOff = (): void => reject(signal.reason as Error);
  signal.addEventListener('abort', callOff, { once: true });
  try {
    return await Promise.race([making, calledOff]);
  } finally {
    signal.removeEventListener('abort', callOff);
  }
}
