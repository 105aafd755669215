export type ShutdownSignal = 'SIGINT' | 'SIGTERM';
const SIGNALS: readonly ShutdownSignal[] = ['SIGTERM', 'SIGINT'];

/**
 * SIGTERM and SIGINT as one request to stop. Its handlers are never removed, so that a second signal cannot cut a drain
 * short: who wants that sends SIGKILL. They do not keep the process alive.
 */
export class ShutdownRequest {
  readonly #controller = new AbortController();
  #count = 0;

  constructor(onSignal: (signal: ShutdownSignal, count: number) => void) {
    for (const signal of SIGNALS) process.on(signal, () => this.#receive(signal, onSignal));
  }

  /** Aborted by the first signal. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Resolves with the first signal. */
  get received(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (this.signal.aborted) resolve();
    else this.signal.addEventListener('abort', () => resolve(), { once: true });
    return promise;
  }

  #receive(signal: ShutdownSignal, onSignal: (signal: ShutdownSignal, count: number) => void): void {
    this.#count += 1;
    onSignal(signal, this.#count);
    this.#controller.abort(new Error(`stopped by ${signal}`));
  }
}
