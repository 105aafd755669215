import { setImmediate } from 'node:timers';
import { isConflict } from './cluster-client.ts';

export interface RetryPolicy {
  readonly initialMs: number;
  readonly maxMs: number;
}

const RETRY: RetryPolicy = { initialMs: 5, maxMs: 1000 };

/**
 * Calls `reconcile` for each key that was added: one call a key at a time, several additions as one call, again
 * after a failure with growing delays.
 */
export class ReconcileQueue implements AsyncDisposable {
  readonly #name: string;
  readonly #reconcile: (key: string) => Promise<void>;
  readonly #report: (line: string) => void;
  readonly #waiting = new Set<string>();
  readonly #running = new Map<string, Promise<void>>();
  readonly #failures = new Map<string, number>();
  readonly #timers = new Map<string, { timer: NodeJS.Timeout; at: number }>();
  #closed = false;
  #scheduled = false;

  constructor(name: string, reconcile: (key: string) => Promise<void>, report: (line: string) => void) {
    this.#name = name;
    this.#reconcile = reconcile;
    this.#report = report;
  }

  add(key: string): void {
    if (this.#closed) return;
    this.#waiting.add(key);
    if (this.#scheduled) return;
    this.#scheduled = true;
    // Changes that belong together arrive in one turn of the event loop; they are one reconciliation.
    setImmediate(() => {
      this.#scheduled = false;
      this.#startWaiting();
    });
  }

  /** The earliest of several delays for one key wins. */
  addAfter(key: string, delayMs: number): void {
    if (this.#closed) return;
    const at = performance.now() + delayMs;
    const pending = this.#timers.get(key);
    if (pending !== undefined && pending.at <= at) return;
    clearTimeout(pending?.timer);
    const fire = (): void => {
      this.#timers.delete(key);
      this.add(key);
    };
    this.#timers.set(key, { timer: setTimeout(fire, Math.min(delayMs, 2 ** 31 - 1)), at });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    this.#waiting.clear();
    for (const { timer } of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
    await Promise.allSettled(this.#running.values());
  }

  #startWaiting(): void {
    for (const key of this.#waiting) {
      if (this.#closed || this.#running.has(key)) continue;
      this.#waiting.delete(key);
      this.#running.set(key, this.#run(key));
    }
  }

  async #run(key: string): Promise<void> {
    try {
      await this.#reconcile(key);
      this.#failures.delete(key);
    } catch (error) {
      this.#retry(key, error);
    } finally {
      this.#running.delete(key);
      if (this.#waiting.has(key)) this.add(key);
    }
  }

  #retry(key: string, error: unknown): void {
    if (this.#closed) return;
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    if (!isConflict(error)) this.#report(`${this.#name} ${key}: ${error instanceof Error ? error.message : String(error)}`);
    this.addAfter(key, Math.min(RETRY.initialMs * 2 ** (failures - 1), RETRY.maxMs));
  }
}
