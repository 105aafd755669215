import type { StepId } from '../../evidence/observation.ts';

/**
 * Why there is nothing to do in a rollout for a while: its change is `ordered` and the node has not begun with it; the processes of the
 * replaced Pod have `ended` and the node cleans up after them; the new session is `registered` and has to come to its heartbeat.
 */
export type Waiting = 'ordered' | 'ended' | 'registered';

/**
 * The times in which the contract can only wait. What else has to be done is done then: it takes nothing from a Pod that starts, nor
 * from processes that are to end before their node looks again.
 */
export class Lulls {
  readonly #signal: AbortSignal;
  readonly #lulls = new Map<string, PromiseWithResolvers<void>>();

  /** The signal ends who still waits for one. */
  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  begin(step: StepId, waiting: Waiting): void {
    this.#lull(step, waiting).resolve();
  }

  async until(step: StepId, waiting: Waiting): Promise<void> {
    await this.#lull(step, waiting).promise;
  }

  #lull(step: StepId, waiting: Waiting): PromiseWithResolvers<void> {
    const name = `${step} ${waiting}`;
    const lull = this.#lulls.get(name) ?? Promise.withResolvers<void>();
    if (!this.#lulls.has(name)) {
      this.#lulls.set(name, lull);
      lull.promise.catch(() => undefined); // not every one is waited for
      if (this.#signal.aborted) lull.reject(this.#signal.reason);
      else this.#signal.addEventListener('abort', () => lull.reject(this.#signal.reason), { once: true });
    }
    return lull;
  }
}
