import { setTimeout as delay } from 'node:timers/promises';

/**
 * Admits runs as far as there are slots. It is open only while the session may take on work: a blocked session admits
 * nothing until it is unblocked, a stopped intake never again.
 */
export class Intake {
  readonly capacity: number;
  #active = 0;
  #blocked = false;
  #stopped = false;

  constructor(capacity: number) {
    this.capacity = capacity;
  }

  get availableSlots(): number {
    return this.#blocked || this.#stopped ? 0 : this.capacity - this.#active;
  }

  get active(): number {
    return this.#active;
  }

  /** What an unblocked session would have to offer; the Control is told this also while we are blocked, to unblock us. */
  get offeredSlots(): number {
    return this.#stopped ? 0 : this.capacity - this.#active;
  }

  block(): void {
    this.#blocked = true;
  }

  unblock(): void {
    this.#blocked = false;
  }

  stop(): void {
    this.#stopped = true;
  }

  /** A slot, to be disposed when the run is over; null when none may be had. */
  admit(): Disposable | null {
    if (this.availableSlots < 1) return null;
    this.#active += 1;
    let held = true;
    return {
      [Symbol.dispose]: () => {
        if (held) this.#active -= 1;
        held = false;
      },
    };
  }

  /** Waits until nothing runs; false when the time is over first. */
  async settle(timeoutMs: number, pollMs: number): Promise<boolean> {
    const deadline = performance.now() + timeoutMs;
    while (this.#active > 0) {
      const leftMs = deadline - performance.now();
      if (leftMs <= 0) return false;
      await delay(Math.min(pollMs, leftMs));
    }
    return true;
  }
}
