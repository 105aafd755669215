import type { NodeTiming } from '../node-timing.ts';

/**
 * Delay before the next start of a container that has ended, as the kubelet's: none at first, then doubling up to a
 * limit, and forgotten when the container has run for long enough.
 */
export class BackOff {
  readonly #timing: NodeTiming['restartBackOff'];
  #restarts = 0;

  constructor(timing: NodeTiming['restartBackOff']) {
    this.#timing = timing;
  }

  nextDelayMs(ranForMs: number): number {
    if (ranForMs >= this.#timing.resetAfterMs) this.#restarts = 0;
    const delay = this.#restarts === 0 ? 0 : Math.min(this.#timing.initialMs * 2 ** (this.#restarts - 1), this.#timing.maxMs);
    this.#restarts += 1;
    return delay;
  }
}
