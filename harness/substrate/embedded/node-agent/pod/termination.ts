/** When and how fast a Pod has to end. The first request starts the clock; later ones can only shorten it. */
export class Termination implements Disposable {
  readonly #requested = new AbortController();
  readonly #expired = new AbortController();
  readonly #forced = new AbortController();
  #deadline = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  /** The Pod has to end. */
  get requested(): AbortSignal {
    return this.#requested.signal;
  }

  /** The grace period is over. */
  get expired(): AbortSignal {
    return this.#expired.signal;
  }

  /** Whatever still runs has to be killed at once, without any further grace. */
  get forced(): AbortSignal {
    return this.#forced.signal;
  }

  request(graceMs: number): void {
    const deadline = performance.now() + graceMs;
    if (deadline >= this.#deadline || this.forced.aborted) return;
    this.#deadline = deadline;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#expired.abort(), graceMs);
    this.#requested.abort();
  }

  force(): void {
    this.#requested.abort();
    this.#expired.abort();
    this.#forced.abort();
    clearTimeout(this.#timer);
  }

  /** Infinite while nobody has asked. */
  msLeft(): number {
    return Math.max(0, this.#deadline - performance.now());
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}

/** Resolves when the signal is aborted; never rejects. */
export function whenAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** Waits so long, or until the signal. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const finish = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', finish);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    signal.addEventListener('abort', finish, { once: true });
  });
}
