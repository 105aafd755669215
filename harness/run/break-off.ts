/** Ends a run for what nobody waits for: something died that must live, an event could not be taken down, an error that nobody awaits. */
export class BreakOff implements Disposable {
  readonly #controller = new AbortController();
  readonly #onUnforeseen = (error: unknown): void => this.because(error);

  constructor() {
    process.on('uncaughtException', this.#onUnforeseen);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The first reason counts; what comes later is most often its consequence. */
  because(error: unknown): void {
    this.#controller.abort(error ?? new Error('no reason was given'));
  }

  [Symbol.dispose](): void {
    process.removeListener('uncaughtException', this.#onUnforeseen);
  }
}
