/**
 * The times in which the contract can only wait: the replaced Pod's processes have ended and its node cleans up after them, or a
 * session has to come to its heartbeat. What else has to be done is done then, and takes nothing from a Pod that starts or stops.
 */
const LULLS = ['generation-2', 'identity-b', 'session-1', 'first-heartbeat', 'second-heartbeat'] as const;

export type Lull = (typeof LULLS)[number];

export class Lulls {
  readonly #begun = new Map<Lull, PromiseWithResolvers<void>>(LULLS.map((lull) => [lull, Promise.withResolvers<void>()]));

  /** The signal ends who still waits for one. */
  constructor(signal: AbortSignal) {
    for (const { promise, reject } of this.#begun.values()) {
      promise.catch(() => undefined); // not every one is waited for
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    }
  }

  begin(lull: Lull): void {
    this.#begun.get(lull)?.resolve();
  }

  async until(lull: Lull): Promise<void> {
    await this.#begun.get(lull)?.promise;
  }
}
