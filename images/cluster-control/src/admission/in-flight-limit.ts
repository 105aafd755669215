/** Counts requests whose work has not settled, and tells when none is left. */
export class InFlightLimit {
  readonly #limit: number;
  #count = 0;
  #idleListeners: (() => void)[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  get count(): number {
    return this.#count;
  }

  /** Null when the limit is reached; otherwise the function that ends the occupation, to be called once. */
  enter(): (() => void) | null {
    if (this.#count >= this.#limit) return null;
    this.#count += 1;
    return () => this.#leave();
  }

  whenIdle(): Promise<void> {
    if (this.#count === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idleListeners.push(resolve));
  }

  #leave(): void {
    this.#count -= 1;
    if (this.#count > 0) return;
    for (const resolve of this.#idleListeners.splice(0)) resolve();
  }
}
